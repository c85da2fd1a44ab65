/** Starts an engine with a container, says so, and waits to be killed without a chance to clean up. */
import { startDocker } from "./docker.ts"
import { writer } from "./writer.ts"

const docker = await startDocker()
await docker.run({ name: "orphan", command: writer({ name: "orphan", rate: 10 }) })
console.log(docker.socket)
await new Promise<never>(() => setInterval(() => {}, 60_000))
