/**
 * Whether a file is on this host: what was just appended to it is in memory then, and no server on a network can keep
 * whoever reads it waiting.
 */
import { statfs } from "node:fs/promises"

/** What `statfs(2)` says of file systems that are nowhere else (linux/magic.h). */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x794c7630, // overlay, of which the upper directory cannot be elsewhere
])

/** `fd`: of the open file. */
export async function isLocal(fd: number): Promise<boolean> {
  const { type } = await statfs(`/proc/self/fd/${fd}`)
  return LOCAL.has(type)
}
