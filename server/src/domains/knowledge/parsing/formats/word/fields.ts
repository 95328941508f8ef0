import { childOf, childrenOf, isOn, type XmlElement } from '../xml.ts'

interface Field {
  instruction: string
  /** The result follows the instruction. */
  inResult: boolean
  /** Where the result starts in the paragraph. */
  start: number
  /** The mark or the chosen entry, which a form field shows without a result. */
  readonly form: string | undefined
  readonly isCheckBox: boolean
}

/** The fields that are open at a place in the text. A field may go over several paragraphs. */
export class Fields {
  readonly #open: Field[] = []

  startLine(): void {
    for (const field of this.#open) field.start = 0
  }

  hidesText(): boolean {
    return this.#open.some((field) => !field.inResult)
  }

  instruct(text: string): void {
    const field = this.#open.at(-1)
    if (field && !field.inResult) field.instruction += text
  }

  /** Reads a field's begin, separator or end. Returns the field that ends. */
  mark(element: XmlElement, position: number): Field | undefined {
    const kind = element.attributes.fldCharType
    if (kind === 'end') return this.#open.pop()
    if (kind === 'begin')
      this.#open.push({ instruction: '', inResult: false, start: position, ...formOf(childOf(element, 'w:ffData')) })
    const field = this.#open.at(-1)
    if (kind === 'separate' && field) Object.assign(field, { inResult: true, start: position })
    return undefined
  }
}

function formOf(form: XmlElement | undefined): { form: string | undefined; isCheckBox: boolean } {
  const box = childOf(form, 'w:checkBox')
  if (box) return { form: (isOn(box, 'w:checked') ?? isOn(box, 'w:default')) ? '☒' : '☐', isCheckBox: true }
  const list = childOf(form, 'w:ddList')
  const index = (childOf(list, 'w:result') ?? childOf(list, 'w:default'))?.attributes.val ?? '0'
  return { form: childrenOf(list, 'w:listEntry')[Number(index)]?.attributes.val, isCheckBox: false }
}
