import type { AssembledLine } from "../records/lines.ts"
import type { Line } from "../runtime.ts"
import { formatPlace, type Place } from "./place.ts"

/** A line that knows its place, which is written down only if somebody asks. */
export class PlacedLine implements Line {
  readonly stream
  readonly timestamp
  readonly message
  declare readonly partial?: true
  place: Place

  constructor(line: AssembledLine, place: Place) {
    this.stream = line.stream
    this.timestamp = line.timestamp
    this.message = line.message
    if (line.partial) this.partial = true
    this.place = place
  }

  get position(): string {
    return formatPlace(this.place)
  }
}
