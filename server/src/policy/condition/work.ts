/** About 64 searches through 1 MiB. A search may take 20 ns a character at worst: letters chosen against the engine. */
const MAX_WORK = 2 ** 26
/** V8 looks for short texts in linear time; for longer ones the worst case grows with their length. */
const SHORT = 32

/**
 * What one part of a condition may do with texts, all its loops together: `user.attributes.words.exists(w, content.text.contains(w))`
 * is a fair question, and both its sides come from callers. Beyond the bound the part fails, which counts as a denial.
 */
export class Work {
  #left = MAX_WORK

  /** Called before each part of a condition. */
  begin(): void {
    this.#left = MAX_WORK
  }

  spend(characters: number): void {
    this.#left -= characters
    if (this.#left < 0) throw new Error('the texts are too complex for the condition')
  }

  contains(text: string, part: string): boolean {
    this.spend(text.length * Math.ceil(part.length / SHORT))
    return text.includes(part)
  }
}
