import { childOf, childrenOf, isOn, type XmlElement } from '../xml.ts'

/** The properties of a style that matter for text. */
interface Style {
  readonly basedOn: string | undefined
  readonly name: string
  readonly paragraph: XmlElement | undefined
  readonly run: XmlElement | undefined
}

/** The styles of a Word file. */
export class Styles {
  readonly #styles: ReadonlyMap<string, Style>

  constructor(part: XmlElement | undefined) {
    this.#styles = new Map(
      childrenOf(part, 'w:style').map((style) => [
        style.attributes.styleId ?? '',
        {
          basedOn: childOf(style, 'w:basedOn')?.attributes.val,
          name: childOf(style, 'w:name')?.attributes.val?.toLowerCase() ?? '',
          paragraph: childOf(style, 'w:pPr'),
          run: childOf(style, 'w:rPr'),
        },
      ]),
    )
  }

  /** The style and those that it is based on. */
  *#chain(id: string | undefined): Generator<Style> {
    const seen = new Set<string>()
    for (let next = id; next !== undefined && !seen.has(next); ) {
      seen.add(next)
      const style = this.#styles.get(next)
      if (style) yield style
      next = style?.basedOn
    }
  }

  /** 1 to 6 for headings. Word's own styles are known by their names, also without a part for styles. */
  headingLevel(paragraph: XmlElement | undefined): number | undefined {
    const id = childOf(paragraph, 'w:pStyle')?.attributes.val
    const own = childOf(paragraph, 'w:outlineLvl')?.attributes.val
    if (own !== undefined) return levelOf(Number(own) + 1)
    for (const style of this.#chain(id)) {
      const level = childOf(style.paragraph, 'w:outlineLvl')?.attributes.val
      if (level !== undefined) return levelOf(Number(level) + 1)
      const named = levelOfName(style.name)
      if (named !== undefined) return named
    }
    return id !== undefined && !this.#styles.has(id) ? levelOfName(id.toLowerCase()) : undefined
  }

  /** A paragraph's list, from its own properties or its style. */
  list(paragraph: XmlElement | undefined): XmlElement | undefined {
    const own = childOf(paragraph, 'w:numPr')
    if (own) return own
    for (const style of this.#chain(childOf(paragraph, 'w:pStyle')?.attributes.val)) {
      const list = childOf(style.paragraph, 'w:numPr')
      if (list) return list
    }
    return undefined
  }

  /** Whether a paragraph or its style has a ground of its own colour. */
  isShaded(paragraph: XmlElement | undefined): boolean {
    if (childOf(paragraph, 'w:shd')) return true
    for (const style of this.#chain(childOf(paragraph, 'w:pStyle')?.attributes.val))
      if (childOf(style.paragraph, 'w:shd')) return true
    return false
  }

  isHidden(run: XmlElement | undefined, paragraph: XmlElement | undefined): boolean {
    const own = isOn(run, 'w:vanish')
    if (own !== undefined) return own
    const ids = [childOf(run, 'w:rStyle')?.attributes.val, childOf(paragraph, 'w:pStyle')?.attributes.val]
    return ids.some((id) => {
      for (const style of this.#chain(id)) {
        const hidden = isOn(style.run, 'w:vanish')
        if (hidden !== undefined) return hidden
      }
      return false
    })
  }
}

function levelOfName(name: string): number | undefined {
  if (name === 'title') return 1
  const level = /^(?:heading|überschrift) ?([1-9])$/.exec(name)?.[1]
  return level === undefined ? undefined : levelOf(Number(level))
}

const levelOf = (level: number): number | undefined => (level >= 1 && level <= 9 ? Math.min(level, 6) : undefined)
