/** Measures something at intervals, for metrics, because a scrape must not wait for the database. */
export class Meter<Reading> {
  readonly #measure: () => Promise<readonly Reading[]>
  /** As of the last measurement; empty before the first one. */
  readings: readonly Reading[] = []

  constructor(measure: () => Promise<readonly Reading[]>) {
    this.#measure = measure
  }

  async run(): Promise<void> {
    this.readings = await this.#measure()
  }
}
