import type { Warnings } from '../../warning.ts'
import { type Block, escapeLines, heading, joinBlocks, linkTo, listItem } from '../office/blocks.ts'
import { raised } from '../office/symbols.ts'
import { childOf, childrenOf, findAll, textIn, type XmlElement } from '../xml.ts'
import type { OdfStyles } from './odf-styles.ts'
import { odfTable } from './odf-table.ts'

export interface OdfFile {
  readonly styles: OdfStyles
  readonly warnings: Warnings
  /** An embedded object's main element, by its address in the file. */
  object(address: string): XmlElement | undefined
}

interface Line {
  text: string
  /** Text boxes and notes, which follow the paragraph. */
  readonly after: Block[]
}

interface List {
  readonly style: string | undefined
  readonly counts: readonly number[]
}

/** Elements without text of the page. */
const SKIPPED = new Set(
  'text:sequence-decls text:variable-decls text:user-field-decls text:note-citation text:table-of-content-source text:alphabetical-index-source office:annotation-end presentation:notes office:scripts svg:title svg:desc draw:glue-point table:table-column'.split(
    ' ',
  ),
)
const SHAPE = /^draw:(?:custom-shape|rect|ellipse|circle|line|polygon|polyline|path|connector|caption|measure|regular-polygon)$/

/** Reads the text of an OpenDocument file. */
export class OdfText {
  readonly #file: OdfFile
  readonly #place: string | undefined
  #notes = 0
  /** The counts of each list style's last list, for lists that continue. */
  readonly #last = new Map<string, number>()

  constructor(file: OdfFile, place?: string) {
    this.#file = file
    this.#place = place
  }

  blocks(parent: XmlElement | undefined, inCell = false): Block[] {
    return childrenOf(parent).flatMap((element) => this.block(element, inCell))
  }

  block(element: XmlElement, inCell = false): Block[] {
    const { name, attributes } = element
    if (SKIPPED.has(name)) return []
    switch (name) {
      case 'text:p':
        return this.#paragraph(element)
      case 'text:h': {
        const [first, ...after] = this.#paragraph(element)
        const number = textIn(childOf(element, 'text:number')).trim()
        const title = [number, first?.text ?? ''].join(' ').trim()
        return [inCell ? { text: title } : heading(Math.min(Number(attributes['outline-level'] ?? 1) || 1, 6), title), ...after]
      }
      case 'text:list':
        return this.#list(element, { style: attributes['style-name'], counts: [] }, inCell)
      case 'table:table':
        return odfTable(
          element,
          (cell) => joinBlocks(this.blocks(cell, true)),
          () => this.#hidden(),
        )
      case 'text:tracked-changes':
        for (const _ of findAll(element, 'text:deletion')) this.#hidden()
        return []
      case 'office:forms':
        for (const form of findAll(element, 'form:form')) this.#warn('form', form.attributes.name)
        return []
      case 'text:section':
        if (attributes.display === 'none') {
          this.#hidden()
          return []
        }
        return this.blocks(element, inCell)
      default:
        if (name.startsWith('draw:') && name !== 'draw:page') {
          const line: Line = { text: '', after: [] }
          this.#drawing(element, line)
          return [{ text: line.text }, ...line.after]
        }
        return this.blocks(element, inCell)
    }
  }

  #paragraph(element: XmlElement): Block[] {
    const line: Line = { text: '', after: [] }
    if (this.#isHidden(element)) {
      if (textIn(element).trim() !== '') this.#hidden()
      return []
    }
    this.#inline(element, line)
    return [{ text: escapeLines(line.text.replace(/[ \t]*\n[ \t]*/g, '\n').trim()) }, ...line.after]
  }

  #list(list: XmlElement, { style, counts }: List, inCell: boolean): Block[] {
    const depth = counts.length
    const own = list.attributes['style-name'] ?? style ?? ''
    const continues = list.attributes['continue-numbering'] === 'true' || list.attributes['continue-list'] !== undefined
    let count = (depth === 0 && continues && this.#last.get(own)) || this.#file.styles.start(own, depth + 1) - 1
    const blocks: Block[] = []
    for (const item of childrenOf(list)) {
      if (item.name === 'text:list-header') blocks.push(...this.blocks(item, inCell))
      if (item.name !== 'text:list-item') continue
      const content = childrenOf(item)
      if (content.some((child) => child.name !== 'text:list')) count = Number(item.attributes['start-value'] ?? count + 1)
      const path = [...counts, Math.max(count, 0)]
      for (const [index, child] of content.entries()) {
        if (child.name === 'text:list') {
          blocks.push(...this.#list(child, { style: own, counts: path }, inCell))
          continue
        }
        const label = index === 0 ? this.#file.styles.label(own, path) : ''
        blocks.push(
          ...this.block(child, inCell).map((block, at) =>
            at > 0 || index > 0 ? block : this.#item(block, label, depth, inCell),
          ),
        )
      }
    }
    if (depth === 0) this.#last.set(own, count)
    return blocks
  }

  /** Headings in lists keep their marks. */
  #item(block: Block, label: string, depth: number, inCell: boolean): Block {
    if (block.text === '') return block
    const title = /^(#{1,6} )(.*)$/.exec(block.text)
    if (title) return { text: `${title[1]}${label && `${label} `}${title[2]}` }
    return inCell ? { text: `${label && `${label} `}${block.text}` } : listItem(label, block.text, depth)
  }

  #inline(parent: XmlElement, line: Line): void {
    for (const child of parent.children) {
      // White space counts as in HTML; more of it is in elements of its own.
      if (typeof child === 'string') line.text += child.replace(/\s+/g, ' ')
      else this.#inlineElement(child, line)
    }
  }

  #inlineElement(element: XmlElement, line: Line) {
    const { name, attributes } = element
    if (SKIPPED.has(name) || name === 'text:number') return
    if (name.startsWith('draw:')) return this.#drawing(element, line)
    switch (name) {
      case 'text:s':
        line.text += ' '
        return
      case 'text:tab':
        line.text += '\t'
        return
      case 'text:line-break':
        line.text += '\n'
        return
      case 'text:a': {
        const start = line.text.length
        this.#inline(element, line)
        line.text = line.text.slice(0, start) + linkTo(attributes['xlink:href'] ?? '', line.text.slice(start))
        return
      }
      case 'text:note':
        return this.#note(element, line)
      case 'text:ruby': {
        this.#inline(childOf(element, 'text:ruby-base') ?? element, line)
        const guide = textIn(childOf(element, 'text:ruby-text')).trim()
        line.text += guide && `(${guide})`
        return
      }
      case 'office:annotation':
        return this.#warn('comment')
      case 'text:hidden-text':
      case 'text:hidden-paragraph':
        if (attributes['is-hidden'] !== 'false') this.#hidden()
        else line.text += attributes['string-value'] ?? ''
        return
      case 'text:span': {
        if (this.#isHidden(element)) {
          if (textIn(element).trim() !== '') this.#hidden()
          return
        }
        const start = line.text.length
        this.#inline(element, line)
        const position = this.#file.styles.property(attributes['style-name'], 'style:text-properties', 'text-position') ?? ''
        const kind = /^(?:super|[1-9])/.test(position) ? 'superscript' : /^(?:sub|-)/.test(position) ? 'subscript' : undefined
        if (kind) line.text = line.text.slice(0, start) + raised(line.text.slice(start), kind)
        return
      }
      case 'text:p':
      case 'text:h':
      case 'text:list':
      case 'table:table':
        line.after.push(...this.block(element))
        return
      default:
        this.#inline(element, line)
    }
  }

  #note(element: XmlElement, line: Line): void {
    const citation = textIn(childOf(element, 'text:note-citation')).trim() || String(++this.#notes)
    const text = joinBlocks(this.blocks(childOf(element, 'text:note-body'))).replace(/\s+/g, ' ')
    line.text += `[^${citation}]`
    line.after.push({ text: text && `[^${citation}]: ${text}` })
  }

  /** A frame, shape or group: its text follows the paragraph. */
  #drawing(element: XmlElement, line: Line) {
    if (element.attributes['presentation:placeholder'] === 'true' || element.attributes.placeholder === 'true') return
    const [content] = childrenOf(element).filter((child) =>
      /^(?:draw:(?:text-box|image|object|object-ole|plugin)|table:table)$/.test(child.name),
    )
    if (content?.name === 'draw:object') return this.#object(content, line)
    if (content?.name === 'draw:image') {
      const described = childOf(element, 'svg:desc') ?? childOf(element, 'svg:title')
      line.text += textIn(described).replace(/\s+/g, ' ').trim()
      return this.#warn('picture')
    }
    if (content?.name === 'draw:object-ole' || content?.name === 'draw:plugin') return this.#warn('attachment')
    if (element.name === 'draw:control') return this.#warn('form')
    line.after.push(
      ...this.blocks(
        SHAPE.test(element.name) || content === undefined ? element : content.name === 'table:table' ? element : content,
      ),
    )
  }

  /** An equation or a chart. */
  #object(reference: XmlElement, line: Line) {
    const object = this.#file.object(reference.attributes['xlink:href'] ?? '') ?? childrenOf(reference)[0]
    const source = findAll(object, 'math:annotation')[0]
    if (object?.name === 'math:math') {
      line.text += source ? textIn(source).trim() : textIn(object).replace(/\s+/g, ' ').trim()
      return this.#warn('equation')
    }
    const [table] = findAll(object, 'table:table')
    if (!table) return this.#warn('ignored_part', reference.attributes['xlink:href'])
    const [chart] = findAll(object, 'chart:chart')
    for (const title of findAll(chart, 'chart:title')) line.after.push(...this.blocks(title))
    line.after.push(...this.block(table))
  }

  #isHidden(element: XmlElement): boolean {
    return this.#file.styles.property(element.attributes['style-name'], 'style:text-properties', 'text:display') === 'none'
  }

  #warn(kind: 'comment' | 'picture' | 'form' | 'attachment' | 'equation' | 'ignored_part', detail?: string): void {
    this.#file.warnings.add(kind, { ...(this.#place && { place: this.#place }), ...(detail && { detail }) })
  }

  #hidden(): void {
    this.#file.warnings.add('hidden_text', { ...(this.#place && { place: this.#place }) })
  }
}
