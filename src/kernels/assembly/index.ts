/** All that can be called from outside. */
export { begin, length, lines } from "./columns"
export { takeCri } from "./cri"
export { takeFrames } from "./frames"
export { takeJsonFile } from "./json-file"
export { writePositions } from "./positions"
export { writeRows } from "./rows"

/** Memory from here on is for those who call. */
export const room: usize = __heap_base
