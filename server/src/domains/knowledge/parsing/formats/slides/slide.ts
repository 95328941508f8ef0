import type { Warnings } from '../../warning.ts'
import { type Block, escapeLines, heading, joinBlocks } from '../office/blocks.ts'
import { drawnText, graphicBlocks } from '../office/graphics.ts'
import type { Package } from '../office/package.ts'
import { childOf, childrenOf, findAll, textIn, type XmlElement } from '../xml.ts'
import { placeholderOf, shapeText, slideTable } from './shape.ts'

/** Values that the slides of a presentation share. */
export interface Slides {
  readonly pkg: Package
  readonly warnings: Warnings
  /** Texts of footers and layouts that were shown already. */
  readonly seen: Set<string>
}

/** A twentieth of a usual slide's height, in the unit of positions. Shapes that differ by less stand side by side. */
const SAME_LINE = 342_900

/** A slide: its title as heading, its shapes from top to bottom and left to right, its notes. */
export function readSlide(name: string, number: number, slides: Slides): Block[] {
  const { pkg, warnings, seen } = slides
  const place = `slide ${number}`
  const slide = pkg.part(name)
  const layoutName = pkg.related(name, 'slideLayout')[0]?.target
  const layout = pkg.part(layoutName)
  const master = layoutName === undefined ? undefined : pkg.relatedPart(layoutName, 'slideMaster')
  const placed = shapesOf(slide, slides, place, [layout, master])
  const title = placed.map(({ shape }) => shape).find((shape) => /^(?:title|ctrTitle)$/.test(placeholderOf(shape)?.type ?? ''))
  const titleText = title ? joinBlocks(shapeText(title)).replaceAll('\n', ' ') : ''
  const relations = pkg.relations(name)
  const content = inReadingOrder(placed)
    .filter((shape) => shape !== title)
    .flatMap((shape): Block[] => {
      const kind = placeholderOf(shape)?.type
      if (kind === 'sldNum' || kind === 'dt') return []
      if (kind === 'ftr') return once(shapeText(shape), seen)
      return shapeBlocks(shape, { warnings, place }, (element) => graphicBlocks(element, relations, pkg, warnings, place))
    })
  const shown =
    slide?.attributes.showMasterSp === '0' ? [] : [layout, layout?.attributes.showMasterSp === '0' ? undefined : master]
  const fixed = shown.flatMap((part) =>
    inReadingOrder(shapesOf(part, slides, place)).filter((shape) => placeholderOf(shape) === undefined),
  )
  const background = once(fixed.filter(({ name: kind }) => kind === 'p:sp').flatMap(shapeText), seen)
  for (const { type, target } of relations.values()) {
    if (type === 'comments') warnings.add('comment', { place, count: findAll(pkg.part(target), 'p:cm', 'p188:cm').length || 1 })
  }
  return [heading(2, titleText || `Slide ${number}`), ...content, ...background, ...notesOf(pkg.relatedPart(name, 'notesSlide'))]
}

interface Position {
  readonly x: number
  readonly y: number
}

interface Placed extends Position {
  readonly shape: XmlElement
}

const ORIGIN: Position = { x: 0, y: 0 }

/** The shapes of a slide with their positions, those in groups too. Hidden ones are counted. */
function shapesOf(
  part: XmlElement | undefined,
  { warnings }: Slides,
  place: string,
  layouts: readonly (XmlElement | undefined)[] = [],
): Placed[] {
  const shapes: Placed[] = []
  const collect = (parent: XmlElement | undefined, onSlide: (position: Position) => Position): void => {
    for (const shape of childrenOf(parent)) {
      const isHidden = childrenOf(shape).some((child) => /^(?:1|true)$/.test(childOf(child, 'p:cNvPr')?.attributes.hidden ?? ''))
      if (isHidden) {
        if (findAll(shape, 'a:t').some((text) => textIn(text).trim() !== '')) warnings.add('hidden_text', { place })
      } else if (shape.name === 'p:grpSp') {
        const inGroup = groupPosition(childOf(shape, 'p:grpSpPr', 'a:xfrm'))
        collect(shape, (position) => onSlide(inGroup(position)))
      } else if (/^p:(?:sp|graphicFrame|pic|cxnSp|contentPart)$/.test(shape.name)) {
        const own = offsetOf(shape)
        shapes.push({ shape, ...(own ? onSlide(pointOf(own)) : pointOf(layoutOffset(shape, layouts))) })
      }
    }
  }
  collect(childOf(part, 'p:cSld', 'p:spTree'), (position) => position)
  return shapes
}

/** A group scales and moves the positions in it. */
function groupPosition(transform: XmlElement | undefined): (position: Position) => Position {
  const [to, from] = [pointOf(childOf(transform, 'a:off')), pointOf(childOf(transform, 'a:chOff'))]
  const [size, inner] = [childOf(transform, 'a:ext')?.attributes, childOf(transform, 'a:chExt')?.attributes]
  const scale = (name: string) => Number(size?.[name]) / Number(inner?.[name]) || 1
  return ({ x, y }) => ({ x: to.x + (x - from.x) * scale('cx'), y: to.y + (y - from.y) * scale('cy') })
}

const pointOf = (element: XmlElement | undefined): Position =>
  element ? { x: Number(element.attributes.x) || 0, y: Number(element.attributes.y) || 0 } : ORIGIN

/** From top to bottom, then from left to right. */
function inReadingOrder(shapes: readonly Placed[]): XmlElement[] {
  // Lines are built from the top, because a comparison with a tolerance is not a consistent order.
  const lines: Placed[][] = []
  for (const one of shapes.toSorted((a, b) => a.y - b.y)) {
    const line = lines.at(-1)
    if (line?.[0] && one.y - line[0].y < SAME_LINE) line.push(one)
    else lines.push([one])
  }
  return lines.flatMap((line) => line.sort((a, b) => a.x - b.x)).map(({ shape }) => shape)
}

const offsetOf = (shape: XmlElement): XmlElement | undefined =>
  childOf(shape, 'p:spPr', 'a:xfrm', 'a:off') ?? childOf(shape, 'p:xfrm', 'a:off')

function layoutOffset(shape: XmlElement, layouts: readonly (XmlElement | undefined)[]): XmlElement | undefined {
  const own = placeholderOf(shape)
  if (!own) return undefined
  for (const layout of layouts) {
    const same = childrenOf(childOf(layout, 'p:cSld', 'p:spTree'), 'p:sp').find((other) => {
      const placeholder = placeholderOf(other)
      return placeholder && (own.idx === undefined ? placeholder.type === own.type : placeholder.idx === own.idx)
    })
    const offset = same && offsetOf(same)
    if (offset) return offset
  }
  return undefined
}

function shapeBlocks(
  shape: XmlElement,
  { warnings, place }: { readonly warnings: Warnings; readonly place: string },
  graphics: (element: XmlElement) => Block[],
): Block[] {
  if (shape.name === 'p:pic') {
    warnings.add('picture', { place })
    return [{ text: escapeLines(childOf(shape, 'p:nvPicPr', 'p:cNvPr')?.attributes.descr ?? '') }]
  }
  if (shape.name === 'p:contentPart') warnings.add('ignored_part', { place })
  for (const object of findAll(shape, 'p:oleObj'))
    warnings.add('attachment', { place, detail: object.attributes.progId ?? 'object' })
  for (const control of findAll(shape, 'p:control')) warnings.add('form', { place, detail: control.attributes.name ?? 'control' })
  return [...shapeText(shape), ...findAll(shape, 'a:tbl').map(slideTable), ...graphics(shape)]
}

/** Text that stands on many slides is shown once. */
function once(blocks: readonly Block[], seen: Set<string>): Block[] {
  return blocks.filter(({ text }) => text !== '' && !seen.has(text) && seen.add(text))
}

function notesOf(part: XmlElement | undefined): Block[] {
  const bodies = childrenOf(childOf(part, 'p:cSld', 'p:spTree'), 'p:sp').filter((shape) => placeholderOf(shape)?.type === 'body')
  const texts = bodies.flatMap((body) =>
    childrenOf(childOf(body, 'p:txBody'), 'a:p').map((paragraph) => drawnText(paragraph).trim()),
  )
  const shown = texts.filter((text) => text !== '').join('\n\n')
  return [{ text: shown && escapeLines(`Notes: ${shown}`) }]
}
