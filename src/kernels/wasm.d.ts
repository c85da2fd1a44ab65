/** A module's file, wherever the program runs from. */
declare module "*.wasm" {
  const path: string
  export default path
}
