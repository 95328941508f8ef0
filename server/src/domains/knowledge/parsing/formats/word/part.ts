import type { Warnings } from '../../warning.ts'
import { type Block, escapeLines, heading, joinBlocks, linkTo, listItem } from '../office/blocks.ts'
import { equationText } from '../office/equation.ts'
import { drawnText, graphicBlocks } from '../office/graphics.ts'
import type { Package, Relation } from '../office/package.ts'
import { raised } from '../office/symbols.ts'
import { childOf, childrenOf, findAll, isOn, textIn, type XmlElement } from '../xml.ts'
import { Fields } from './fields.ts'
import type { Notes } from './notes.ts'
import type { Numbering } from './numbering.ts'
import { runText } from './run.ts'
import type { Styles } from './styles.ts'
import { readTable } from './word-table.ts'

/** Values that the parts of a Word file share. */
export interface WordFile {
  readonly pkg: Package
  readonly styles: Styles
  readonly numbering: Numbering
  readonly notes: Notes
  readonly warnings: Warnings
  /** Whether the pages have a color, on which white text may be visible. */
  readonly hasBackground: boolean
}

/** Where text stands: on a coloured ground white letters are visible, and a table's cell has no headings. */
interface Surroundings {
  readonly shaded: boolean
  readonly inCell: boolean
}

interface Line {
  text: string
  readonly properties: XmlElement | undefined
  readonly shaded: boolean
  /** Text boxes, charts and notes, which follow the paragraph. */
  readonly after: Block[]
}

/** Elements without text of the page: properties, deleted text, and what Word computes from. */
const SKIPPED = new Set(
  'w:pPr w:rPr w:sdtPr w:sdtEndPr w:tblPr w:tblGrid w:trPr w:tcPr w:sectPr w:instrText w:delInstrText w:footnoteRef w:endnoteRef w:annotationRef w:separator w:continuationSeparator'.split(
    ' ',
  ),
)
const DELETED = new Set(['w:del', 'w:moveFrom', 'w:delText'])

/** Reads one part of a Word file, such as its body or a header. */
export class WordPart {
  readonly file: WordFile
  readonly #relations: ReadonlyMap<string, Relation>
  readonly #place: string | undefined
  readonly #fields = new Fields()
  /** Files that are inserted, by their relation. */
  readonly inserted: ReadonlyMap<string, string>

  constructor(file: WordFile, name: string, place?: string, inserted: ReadonlyMap<string, string> = new Map()) {
    this.file = file
    this.#relations = file.pkg.relations(name)
    this.#place = place
    this.inserted = inserted
  }

  blocks(parent: XmlElement | undefined, around: Surroundings = { shaded: this.file.hasBackground, inCell: false }): Block[] {
    return childrenOf(parent).flatMap((element) => this.block(element, around))
  }

  block(element: XmlElement, around: Surroundings): Block[] {
    if (SKIPPED.has(element.name)) return []
    switch (element.name) {
      case 'w:p':
        return this.#paragraph(element, around)
      case 'w:tbl':
        return readTable(
          element,
          (cell, shaded) => this.blocks(cell, { shaded: around.shaded || shaded, inCell: true }),
          () => this.#hidden(),
        )
      case 'w:altChunk':
        return [{ text: this.inserted.get(element.attributes['r:id'] ?? '') ?? '' }]
      case 'w:subDoc':
        this.#warn('ignored_part', this.#relations.get(element.attributes['r:id'] ?? '')?.target)
        return []
      case 'm:oMathPara':
      case 'm:oMath':
        return [{ text: equationText(element) }]
      default:
        if (DELETED.has(element.name)) this.#countDeleted(element)
        return DELETED.has(element.name) ? [] : this.blocks(element, around)
    }
  }

  #paragraph(element: XmlElement, { shaded, inCell }: Surroundings): Block[] {
    const { styles, numbering } = this.file
    const properties = childOf(element, 'w:pPr')
    const line: Line = { text: '', properties, shaded: shaded || styles.isShaded(properties), after: [] }
    this.#fields.startLine()
    this.#inline(element, line)
    const text = line.text
      .replaceAll('~~~~', '')
      .replace(/[ \t]*\n[ \t]*/g, '\n')
      .trim()
    const list = text === '' ? undefined : numbering.next(styles.list(properties))
    const level = inCell ? undefined : styles.headingLevel(properties)
    if (level !== undefined) return [heading(level, list?.label ? `${list.label} ${text}` : text), ...line.after]
    const shown = escapeLines(text)
    const label = list?.label ? `${list.label} ` : ''
    const block = list && !inCell ? listItem(list.label, shown, list.depth) : { text: label + shown }
    return [block, ...line.after]
  }

  /** Adds the text of a paragraph's content to its line. */
  #inline(parent: XmlElement, line: Line): void {
    for (const element of childrenOf(parent)) this.#inlineElement(element, line)
  }

  #inlineElement(element: XmlElement, line: Line) {
    if (SKIPPED.has(element.name)) return
    if (DELETED.has(element.name)) return this.#countDeleted(element)
    const { notes } = this.file
    switch (element.name) {
      case 'w:r':
        return this.#run(element, line)
      case 'w:hyperlink': {
        const start = line.text.length
        this.#inline(element, line)
        const target = this.#relations.get(element.attributes['r:id'] ?? '')
        if (target?.external) line.text = line.text.slice(0, start) + linkTo(target.target, line.text.slice(start))
        return
      }
      case 'w:sdt': {
        const box = childOf(element, 'w:sdtPr', 'w14:checkbox')
        if (!box) return this.#inline(element, line)
        return this.#show(isOn(box, 'w14:checked') ? '☒' : '☐', line)
      }
      case 'w:ruby': {
        const guide = { ...line, text: '' }
        this.#inline(childOf(element, 'w:rt') ?? element, guide)
        this.#inline(childOf(element, 'w:rubyBase') ?? element, line)
        return guide.text.trim() === '' ? undefined : this.#show(`(${guide.text.trim()})`, line)
      }
      case 'm:oMath':
      case 'm:oMathPara':
        return this.#show(equationText(element), line)
      case 'w:fldChar':
        return this.#field(element, line)
      case 'w:footnoteReference':
      case 'w:endnoteReference': {
        const note = notes.refer(element)
        if (!note) return
        this.#show(note.mark, line)
        line.after.push(note.block)
        return
      }
      case 'w:commentReference':
        return this.#warn('comment')
      case 'w:drawing':
      case 'w:pict':
      case 'w:object':
        return this.#drawing(element, line)
      case 'w:p':
      case 'w:tbl':
        line.after.push(...this.block(element, { shaded: line.shaded, inCell: false }))
        return
      default:
        this.#inline(element, line)
    }
  }

  #run(run: XmlElement, line: Line): void {
    const properties = childOf(run, 'w:rPr')
    if (this.#isInvisible(properties, line)) {
      // The marks of fields count nevertheless.
      for (const mark of childrenOf(run, 'w:fldChar')) this.#fields.mark(mark, line.text.length)
      if (findAll(run, 'w:t', 'w:sym', 'm:t').length > 0) this.#hidden()
      return
    }
    const start = line.text.length
    for (const child of childrenOf(run)) {
      if (child.name === 'w:instrText') this.#fields.instruct(textIn(child))
      const text = runText(child, properties, this.file.warnings)
      if (text === undefined) this.#inlineElement(child, line)
      else this.#show(text, line)
    }
    const shown = line.text.slice(start)
    const position = childOf(properties, 'w:vertAlign')?.attributes.val
    if (position === 'superscript' || position === 'subscript') line.text = line.text.slice(0, start) + raised(shown, position)
    else if (shown.trim() !== '' && (isOn(properties, 'w:strike') || isOn(properties, 'w:dstrike'))) {
      line.text = line.text.slice(0, start) + shown.replace(/\S(?:.*\S)?/s, '~~$&~~')
    }
  }

  /** Hidden, smaller than a point and a half, or white on white. */
  #isInvisible(properties: XmlElement | undefined, line: Line): boolean {
    if (this.file.styles.isHidden(properties, line.properties)) return true
    const size = Number(childOf(properties, 'w:sz')?.attributes.val ?? 20)
    if (size > 0 && size <= 2) return true
    const color = childOf(properties, 'w:color')
    const isWhite = /^f{6}$/i.test(color?.attributes.val ?? '') && color?.attributes.themeColor === undefined
    return isWhite && !line.shaded && !childOf(properties, 'w:shd') && !childOf(properties, 'w:highlight')
  }

  #field(element: XmlElement, line: Line): void {
    const ended = this.#fields.mark(element, line.text.length)
    if (!ended || this.#fields.hidesText()) return
    const result = line.text.slice(ended.start)
    if (ended.form !== undefined && (ended.isCheckBox || result.trim() === '')) line.text += ended.form
    const target = /^\s*HYPERLINK\s+"([^"]+)"/i.exec(ended.instruction)?.[1]
    if (target) line.text = line.text.slice(0, ended.start) + linkTo(target, result)
  }

  /** Text of a field's instruction is not shown. */
  #show(text: string, line: Line): void {
    if (!this.#fields.hidesText()) line.text += text
  }

  #drawing(drawing: XmlElement, line: Line) {
    const names = findAll(drawing, 'wp:docPr')
    const shapes = findAll(drawing, 'v:shape', 'v:rect', 'v:roundrect', 'v:oval')
    const isHidden =
      names.some((name) => /^(?:1|true)$/.test(name.attributes.hidden ?? '')) ||
      (shapes.length > 0 && shapes.every((shape) => /visibility\s*:\s*hidden/i.test(shape.attributes.style ?? '')))
    if (isHidden) return this.#hidden()
    for (const path of findAll(drawing, 'v:textpath')) line.after.push({ text: escapeLines(path.attributes.string ?? '') })
    for (const box of findAll(drawing, 'w:txbxContent', 'a:txBody')) {
      if (box.name === 'w:txbxContent') line.after.push(...this.blocks(box, { shaded: true, inCell: false }))
      else line.after.push(...childrenOf(box, 'a:p').map((paragraph) => ({ text: escapeLines(drawnText(paragraph)) })))
    }
    line.after.push(...graphicBlocks(drawing, this.#relations, this.file.pkg, this.file.warnings, this.#place))
    for (const control of findAll(drawing, 'w:control')) this.#warn('form', control.attributes.name)
    const objects = findAll(drawing, 'o:OLEObject', 'w:objectEmbed')
    for (const object of objects) this.#warn('attachment', object.attributes.ProgID ?? object.attributes.progId)
    const pictures = objects.length > 0 ? [] : findAll(drawing, 'pic:pic', 'v:imagedata')
    if (pictures.length === 0) return
    this.#warn('picture')
    const described = [...names, ...shapes].map(({ attributes: { descr, alt } }) =>
      (descr ?? alt ?? '').replace(/\s+/g, ' ').trim(),
    )
    this.#show(described.filter((text) => text !== '').join(' '), line)
  }

  #warn(kind: 'comment' | 'picture' | 'form' | 'attachment' | 'ignored_part', detail?: string): void {
    this.file.warnings.add(kind, { ...(this.#place && { place: this.#place }), ...(detail && { detail }) })
  }

  #hidden(): void {
    this.file.warnings.add('hidden_text', { ...(this.#place && { place: this.#place }) })
  }

  #countDeleted(element: XmlElement): void {
    if (element.name === 'w:delText' || findAll(element, 'w:delText', 'w:t').length > 0) this.#hidden()
  }
}

/** The blocks in one line, for cells and notes. */
export const inOneLine = (blocks: readonly Block[]): string => joinBlocks(blocks).replace(/\s+/g, ' ').trim()
