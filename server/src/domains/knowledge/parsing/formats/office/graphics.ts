import type { Warnings } from '../../warning.ts'
import { pipeTable } from '../table.ts'
import { childOf, childrenOf, findAll, textIn, type XmlElement } from '../xml.ts'
import { type Block, escapeLines } from './blocks.ts'
import { equationText } from './equation.ts'
import { shownValue } from './number-format.ts'
import type { Package, Relation } from './package.ts'
import { raised } from './symbols.ts'

/** The text of charts and diagrams that a drawing refers to. The drawing's own text is not read here. */
export function graphicBlocks(
  drawing: XmlElement,
  relations: ReadonlyMap<string, Relation>,
  pkg: Package,
  warnings: Warnings,
  place?: string,
): Block[] {
  return findAll(drawing, 'c:chart', 'cx:chart', 'dgm:relIds').flatMap((reference) => {
    const id = reference.attributes['r:id'] ?? reference.attributes.id ?? reference.attributes['r:dm'] ?? ''
    const part = pkg.part(relations.get(id)?.target)
    if (!part) {
      warnings.add('ignored_part', { ...(place && { place }), detail: reference.name === 'dgm:relIds' ? 'diagram' : 'chart' })
      return []
    }
    if (reference.name === 'dgm:relIds') return diagram(part)
    return reference.name === 'c:chart' ? chart(part) : newChart(part)
  })
}

/** Text of DrawingML: runs, line breaks, fields and equations. */
export function drawnText(element: XmlElement | undefined): string {
  return childrenOf(element)
    .map((child) => {
      if (child.name === 'a:t') return textIn(child)
      if (child.name === 'a:br') return '\n'
      if (child.name === 'a:r') return run(child)
      return child.name.startsWith('m:') ? equationText(child) : drawnText(child)
    })
    .join('')
}

function run(element: XmlElement): string {
  const text = drawnText(element)
  const baseline = Number.parseInt(childOf(element, 'a:rPr')?.attributes.baseline ?? '0', 10)
  return baseline === 0 ? text : raised(text, baseline > 0 ? 'superscript' : 'subscript')
}

function diagram(part: XmlElement): Block[] {
  return findAll(part, 'dgm:pt')
    .filter((point) => !['pres', 'parTrans', 'sibTrans'].includes(point.attributes.type ?? ''))
    .map((point) => childrenOf(childOf(point, 'dgm:t'), 'a:p').map(drawnText).join(' ').trim())
    .filter((text) => text !== '')
    .map((text) => ({ text: `- ${text}`, depth: 0 }))
}

const titleOf = (element: XmlElement | undefined): string =>
  findAll(childOf(element, 'c:title'), 'a:p').map(drawnText).join(' ').trim() || points(childOf(element, 'c:title')).join(' ')

/** A chart as the table of its series, with its titles. */
function chart(part: XmlElement): Block[] {
  const [root] = findAll(part, 'c:chart')
  const axes = findAll(root, 'c:catAx', 'c:valAx', 'c:dateAx', 'c:serAx').map(titleOf)
  const series = findAll(root, 'c:ser')
  const names = series.map((one) => points(childOf(one, 'c:tx')).join(' '))
  const categories = points(childOf(series[0], 'c:cat') ?? childOf(series[0], 'c:xVal'))
  const values = series.map((one) => points(childOf(one, 'c:val') ?? childOf(one, 'c:yVal')))
  const rows = Array.from({ length: Math.max(categories.length, ...values.map((one) => one.length)) }, (_, index) => [
    categories[index] ?? '',
    ...values.map((one) => one[index] ?? ''),
  ])
  const titles = [titleOf(root), ...axes].filter((title) => title !== '').map((text) => ({ text: escapeLines(text) }))
  return [...titles, { text: rows.length > 0 ? pipeTable([['', ...names], ...rows]) : names.join(', ') }]
}

/** Cached values in their order, numbers in their format. */
function points(element: XmlElement | undefined): string[] {
  const values: string[] = []
  for (const cache of findAll(element, 'c:strCache', 'c:numCache', 'c:lvl', 'c:strLit', 'c:numLit', 'c:v')) {
    if (cache.name === 'c:v') values.push(textIn(cache))
    const code = textIn(childOf(cache, 'c:formatCode'))
    for (const point of childrenOf(cache, 'c:pt')) {
      const value = textIn(childOf(point, 'c:v'))
      values[Number(point.attributes.idx) || 0] = shownValue(value, code)
    }
  }
  return Array.from(values.slice(0, 10_000), (value) => value ?? '')
}

/** Charts of the newer kind, such as waterfalls: titles, then the labels and values of each dimension. */
function newChart(part: XmlElement): Block[] {
  const titles = findAll(part, 'a:p').map(drawnText)
  const rows = findAll(part, 'cx:lvl').map((level) => childrenOf(level, 'cx:pt').map(textIn).join(', '))
  return [...titles, ...rows].map((text) => ({ text: escapeLines(text.trim()) }))
}
