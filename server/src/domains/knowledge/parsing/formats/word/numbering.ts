import { formatNumber } from '../office/counters.ts'
import { symbolOf } from '../office/symbols.ts'
import { childOf, childrenOf, isOn, type XmlElement } from '../xml.ts'

const LEVELS = 9

interface Level {
  readonly start: number
  readonly format: string
  readonly text: string
  /** The level after which this one starts again; 0: it never does. */
  readonly restart: number | undefined
  readonly legal: boolean
  readonly font: string
}

export interface ListLabel {
  /** Empty for bullets. */
  readonly label: string
  readonly depth: number
}

/** Counts the list items of a Word file in the order of its paragraphs. */
export class Numbering {
  readonly #lists = new Map<string, { readonly counters: (number | undefined)[]; readonly levels: ReadonlyMap<number, Level> }>()

  constructor(part: XmlElement | undefined) {
    const definitions = new Map(childrenOf(part, 'w:abstractNum').map((list) => [list.attributes.abstractNumId ?? '', list]))
    const byStyle = new Map(
      [...definitions.values()].map((list) => [childOf(list, 'w:styleLink')?.attributes.val, list] as const),
    )
    const shared = new Map<XmlElement, (number | undefined)[]>()
    for (const list of childrenOf(part, 'w:num')) {
      let definition = definitions.get(childOf(list, 'w:abstractNumId')?.attributes.val ?? '')
      const link = childOf(definition, 'w:numStyleLink')?.attributes.val
      if (link !== undefined) definition = byStyle.get(link) ?? definition
      if (!definition) continue
      const levels = new Map(childrenOf(definition, 'w:lvl').map((level) => [depthOf(level), levelOf(level)]))
      const overrides = childrenOf(list, 'w:lvlOverride')
      let restarts = false
      for (const override of overrides) {
        const own = childOf(override, 'w:lvl')
        const start = childOf(override, 'w:startOverride')?.attributes.val
        const level = own ? levelOf(own) : levels.get(depthOf(override))
        if (start !== undefined) restarts = true
        if (level) levels.set(depthOf(override), start === undefined ? level : { ...level, start: Number(start) || 0 })
      }
      // Lists of one definition continue each other unless one states where it starts.
      const counters = (!restarts && shared.get(definition)) || []
      if (!restarts) shared.set(definition, counters)
      this.#lists.set(list.attributes.numId ?? '', { counters, levels })
    }
  }

  /** The label of the next paragraph in a list, or undefined if the paragraph shows none. */
  next(properties: XmlElement | undefined): ListLabel | undefined {
    const id = childOf(properties, 'w:numId')?.attributes.val
    const list = id === undefined ? undefined : this.#lists.get(id)
    if (!list) return undefined
    const depth = Math.min(Number(childOf(properties, 'w:ilvl')?.attributes.val ?? 0) || 0, LEVELS - 1)
    const level = list.levels.get(depth)
    if (!level) return { label: '', depth }
    const { counters } = list
    counters[depth] = (counters[depth] ?? level.start - 1) + 1
    for (let deeper = depth + 1; deeper < LEVELS; deeper++) {
      const restart = list.levels.get(deeper)?.restart
      if (restart === undefined || (restart > 0 && depth < restart)) counters[deeper] = undefined
    }
    if (level.format === 'bullet') return { label: bulletOf(level), depth }
    const numberAt = (at: number) => {
      const other = list.levels.get(at)
      const format = level.legal ? 'decimal' : (other?.format ?? 'decimal')
      return formatNumber(counters[at] ?? other?.start ?? 1, format)
    }
    const label = level.text.replace(/%([1-9])/g, (_, digit: string) => numberAt(Number(digit) - 1)).trim()
    return label === '' && level.format === 'none' ? undefined : { label, depth }
  }
}

/** Check boxes say something; other bullets do not. */
function bulletOf({ text, font }: Level): string {
  const shown = symbolOf(text.codePointAt(0) ?? 0x20, font) ?? ''
  return /^[☐☑☒✓✗]$/u.test(shown) ? shown : ''
}

const depthOf = (level: XmlElement): number => Number(level.attributes.ilvl ?? 0) || 0

function levelOf(level: XmlElement): Level {
  const value = (name: string) => childOf(level, name)?.attributes.val
  const restart = value('w:lvlRestart')
  return {
    start: Number(value('w:start') ?? 0) || 0,
    format: value('w:numFmt') ?? 'decimal',
    text: value('w:lvlText') ?? '',
    restart: restart === undefined ? undefined : Number(restart),
    legal: isOn(level, 'w:isLgl') === true,
    font: childOf(level, 'w:rPr', 'w:rFonts')?.attributes.ascii ?? '',
  }
}
