/** Runs a program of the tests to its end. */

export const PATH = `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin:/usr/bin:/bin`

/** What it says, without blanks around it. Throws when it fails, with what it says of that. */
export async function output(command: readonly string[]): Promise<string> {
  const child = Bun.spawn([...command], { stdout: "pipe", stderr: "pipe", env: { PATH } })
  const [said, error] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) === 0) return said.trim()
  throw new Error(`${command.join(" ").slice(0, 1000)}: ${error}`)
}
