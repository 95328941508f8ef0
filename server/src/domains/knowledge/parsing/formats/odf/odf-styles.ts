import { formatNumber } from '../office/counters.ts'
import { childOf, childrenOf, findAll, type XmlElement } from '../xml.ts'

interface Level {
  /** Undefined for bullets. */
  readonly format: string | undefined
  readonly before: string
  readonly after: string
  readonly start: number
  /** How many levels the number shows, such as 2 in `3.1`. */
  readonly shown: number
}

const FORMATS: Readonly<Record<string, string>> = { a: 'lowerLetter', A: 'upperLetter', i: 'lowerRoman', I: 'upperRoman' }

/** The styles of an OpenDocument file that matter for its text. */
export class OdfStyles {
  readonly #styles: ReadonlyMap<string, XmlElement>
  readonly #lists: ReadonlyMap<string, ReadonlyMap<number, Level>>

  constructor(parts: readonly (XmlElement | undefined)[]) {
    const groups = parts.flatMap((part) => [childOf(part, 'office:styles'), childOf(part, 'office:automatic-styles')])
    this.#styles = new Map(
      groups.flatMap((group) => childrenOf(group, 'style:style')).map((style) => [style.attributes.name ?? '', style]),
    )
    this.#lists = new Map(
      groups
        .flatMap((group) => childrenOf(group, 'text:list-style'))
        .map((list) => [list.attributes['style:name'] ?? '', levelsOf(list)]),
    )
  }

  /** A property of a style or of those that it is based on. */
  property(name: string | undefined, group: string, property: string): string | undefined {
    const seen = new Set<string>()
    for (let next = name; next !== undefined && !seen.has(next); ) {
      seen.add(next)
      const style = this.#styles.get(next)
      const value = childOf(style, group)?.attributes[property]
      if (value !== undefined) return value
      next = style?.attributes['parent-style-name']
    }
    return undefined
  }

  /** The number of a list item, as in `counts` up to its level; empty for bullets. */
  label(list: string | undefined, counts: readonly number[]): string {
    const levels = this.#lists.get(list ?? '')
    const level = levels?.get(counts.length)
    if (!level || level.format === undefined) return ''
    const numbers = counts.slice(-level.shown).map((count, index) => {
      const at = levels?.get(counts.length - Math.min(level.shown, counts.length) + index + 1)
      return formatNumber(count, FORMATS[at?.format ?? '1'] ?? 'decimal')
    })
    return level.format === '' ? '' : `${level.before}${numbers.join('.')}${level.after}`.trim()
  }

  start(list: string | undefined, level: number): number {
    return this.#lists.get(list ?? '')?.get(level)?.start ?? 1
  }

  listOf(paragraph: string | undefined): string | undefined {
    return this.#styles.get(paragraph ?? '')?.attributes['list-style-name']
  }

  /** Names of the page styles that text refers to. */
  masterPages(): Set<string | undefined> {
    return new Set([...this.#styles.values()].map((style) => style.attributes['master-page-name']).filter((name) => name))
  }
}

function levelsOf(list: XmlElement): ReadonlyMap<number, Level> {
  return new Map(
    findAll(list, 'text:list-level-style-number', 'text:list-level-style-bullet').map(({ name, attributes }) => [
      Number(attributes.level),
      {
        format: name === 'text:list-level-style-bullet' ? undefined : (attributes['style:num-format'] ?? ''),
        before: attributes['style:num-prefix'] ?? '',
        after: attributes['style:num-suffix'] ?? '',
        start: Number(attributes['start-value'] ?? 1) || 1,
        shown: Number(attributes['display-levels'] ?? 1) || 1,
      },
    ]),
  )
}
