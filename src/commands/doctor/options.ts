/** The options of `applogs doctor`: those of `serve`, and where else it may look. */
import { WHERE } from "../../client/options.ts"
import { type Options, OPTIONS } from "../../options.ts"

export const DOCTOR_OPTIONS = {
  url: {
    ...WHERE.url,
    otherwise: "this host is looked at",
    help: "the address of a service, as `https://logs.example.com`: what is between here and there is looked at, with `--api-key-file` as in applogs tail",
  },
  ...OPTIONS,
} as const satisfies Options
