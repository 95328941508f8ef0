/** Follows the brackets of a JSON text that arrives in pieces, so that no piece makes its reader look at the whole text again. */
export class JsonProgress {
  #depth = 0
  #inString = false
  #isEscaped = false
  #hasBegun = false

  /** Whether the text has an object or a list, and each of its brackets is closed. */
  get isClosed(): boolean {
    return this.#hasBegun && this.#depth <= 0 && !this.#inString
  }

  add(piece: string): void {
    for (let at = 0; at < piece.length; at++) {
      const character = piece[at]
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#inString) {
        if (character === '"') this.#inString = false
        else if (character === '\\') this.#isEscaped = true
      } else if (character === '"') this.#inString = true
      else if (character === '{' || character === '[') {
        this.#depth++
        this.#hasBegun = true
      } else if (character === '}' || character === ']') this.#depth--
    }
  }
}
