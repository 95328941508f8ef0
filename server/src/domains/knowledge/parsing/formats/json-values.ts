/** A number, a boolean or null, with the text of the file: `1.10` and ids of more than 15 digits keep their digits. */
export class Literal {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Fields in the order of the file. A name that the file has twice is there twice. */
export class Fields {
  readonly entries: [name: string, value: JsonValue][] = []
}

export type JsonValue = string | Literal | Fields | JsonValue[]

/** Reads JSON as it is written. Throws a SyntaxError. */
export function parseAsWritten(text: string): JsonValue {
  // Only valid JSON is scanned below, so the scan needs no checks of its own.
  JSON.parse(text)
  return new Scanner(text).value()
}

class Scanner {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): JsonValue {
    switch (this.#next()) {
      case '"':
        return this.#string()
      case '{':
        return this.#fields()
      case '[':
        return this.#list()
      default:
        return this.#literal()
    }
  }

  /** The next character that is not white space. */
  #next(): string {
    while (' \t\n\r'.includes(this.#text.charAt(this.#at))) this.#at += 1
    return this.#text.charAt(this.#at)
  }

  #string(): string {
    const start = this.#at
    let end = start
    let backslashes: number
    do {
      end = this.#text.indexOf('"', end + 1)
      backslashes = 0
      while (this.#text.charAt(end - 1 - backslashes) === '\\') backslashes += 1
    } while (backslashes % 2 === 1)
    this.#at = end + 1
    return JSON.parse(this.#text.slice(start, this.#at)) as string
  }

  #literal(): Literal {
    const start = this.#at
    while (/[-+.\w]/.test(this.#text.charAt(this.#at))) this.#at += 1
    return new Literal(this.#text.slice(start, this.#at))
  }

  #fields(): Fields {
    const fields = new Fields()
    this.#items('}', () => {
      const name = this.#string()
      this.#next()
      this.#at += 1
      fields.entries.push([name, this.value()])
    })
    return fields
  }

  #list(): JsonValue[] {
    const list: JsonValue[] = []
    this.#items(']', () => list.push(this.value()))
    return list
  }

  #items(end: string, read: () => void): void {
    this.#at += 1
    while (this.#next() !== end) {
      read()
      if (this.#next() === ',') {
        this.#at += 1
        this.#next()
      }
    }
    this.#at += 1
  }
}
