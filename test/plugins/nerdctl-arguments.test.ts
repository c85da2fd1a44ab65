/** Whatever clients ask for, nerdctl is run with arguments that stand where they always do, and are what they always are. */
import { expect, test } from "bun:test"
import { mkdirSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { Service, untilIt } from "../commands/service.ts"
import { askable, askAll, ID } from "./questions.ts"
import { StandIn } from "./stand-in.ts"

const SEED = Number(Bun.env["SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const QUESTIONS = 400

/** Every command line that there is, whole. None but the container's id is of somebody else's making. */
const MAY_RUN = [
  /^--version$/,
  /^info --mode=native --format=\{\{\.Namespace\}\}$/,
  /^ps --all --no-trunc --format=[^ ]+$/,
  /^events --format=json$/,
  new RegExp(`^inspect --mode=(native|dockercompat) --format=[^ ]+ ${ID}$`),
  // To nerdctl, --tail=0 would be everything.
  new RegExp(`^logs --timestamps( --tail=[1-9]\\d*)?( --since=\\d+\\.\\d{9})? ${ID}$`),
]

const ROW = JSON.stringify({
  ID,
  Name: "web",
  Status: "Up",
  CreatedAt: "2026-01-01T00:00:00Z",
  Labels: {
    "applogs.app": "shop",
    "applogs.service": "web",
    "nerdctl/state-dir": `/nowhere/${ID}`,
  },
})

test("nerdctl is run in these ways, and in no other", async () => {
  console.log(`questions to nerdctl: seed ${SEED}`)
  using standIn = new StandIn({
    ps: `echo '${ROW}'`,
    inspect: "echo '{}'",
    logs: "echo '2026-01-01T00:00:00Z hello'",
    events: "exec sleep 1000",
  })
  const notes = join(standIn.directory, "notes")
  mkdirSync(notes)
  // In a file for each process, an argument between two NULs: what an argument holds cannot look like another one.
  const note = `printf '%s\\0' "$@" >'${notes}/'$$`
  standIn.write(`${note}\n${standIn.file("nerdctl")}`)
  const flags = ["--nerdctl", standIn.path, "--log-source", "api"]
  await using service = new Service(flags, { PATH: "/usr/bin:/bin" }, "nerdctl")
  await service.listening()
  await untilIt("is ready", async () => (await service.get("/readyz")).status === 200)
  const answered = await askAll(service.socket, askable(QUESTIONS, SEED))
  expect(answered.filter(({ status }) => status >= 500)).toEqual([])
  const isAnswer = ({ status }: { status: number }) => status === 200
  expect(answered.filter(isAnswer).length).toBeGreaterThan(QUESTIONS / 10)
  const run = readdirSync(notes).map((name) => standIn.file(`notes/${name}`).split("\0"))
  const lines = new Set(run.map((words) => words.slice(0, -1).join(" ")))
  // A format is one argument, whatever blanks stand in it.
  const whole = [...lines].map((line) =>
    line.replace(/--format=\{\{?.*\}\}?/, (format) => format.replaceAll(" ", "_")),
  )
  expect(whole.filter((line) => !MAY_RUN.some((each) => each.test(line)))).toEqual([])
  for (const each of MAY_RUN) expect(whole.some((line) => each.test(line))).toBe(true)
}, 60_000)
