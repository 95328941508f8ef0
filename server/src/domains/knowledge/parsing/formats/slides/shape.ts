import { type Block, escapeLines, listItem } from '../office/blocks.ts'
import { formatNumber } from '../office/counters.ts'
import { drawnText } from '../office/graphics.ts'
import { gridOf, pipeTable } from '../table.ts'
import { childOf, childrenOf, type XmlElement } from '../xml.ts'

/** The placeholder's attributes, or undefined for a shape of its own. */
export const placeholderOf = (shape: XmlElement): XmlElement['attributes'] | undefined =>
  childrenOf(shape)
    .map((child) => childOf(child, 'p:nvPr', 'p:ph')?.attributes)
    .find((attributes) => attributes !== undefined)

/** The paragraphs of a shape. Those of a placeholder for content are a list, because its layout gives them bullets. */
export function shapeText(shape: XmlElement): Block[] {
  const placeholder = placeholderOf(shape)
  const paragraphs = childrenOf(childOf(shape, 'p:txBody'), 'a:p')
  const hasBullets = placeholder !== undefined && /^(?:body|obj)$/.test(placeholder.type ?? 'obj') && paragraphs.length > 1
  const counts: number[] = []
  return paragraphs.map((paragraph) => {
    const text = drawnText(paragraph).trim()
    const properties = childOf(paragraph, 'a:pPr')
    const depth = Number(properties?.attributes.lvl ?? 0) || 0
    if (text === '') return { text }
    counts.length = Math.min(counts.length, depth + 1)
    const numbered = childOf(properties, 'a:buAutoNum')?.attributes
    if (numbered) {
      counts[depth] = (counts[depth] ?? Number(numbered.startAt ?? 1) - 1) + 1
      return listItem(labelOf(numbered.type ?? '', counts[depth]), escapeLines(text), depth)
    }
    const hasNone = childOf(properties, 'a:buNone') !== undefined
    const isItem =
      !hasNone && (hasBullets || childOf(properties, 'a:buChar') !== undefined || childOf(properties, 'a:buBlip') !== undefined)
    return isItem ? listItem('', escapeLines(text), depth) : { text: escapeLines(text) }
  })
}

/** `alphaLcParenR` is `a)`, `arabicPeriod` is `1.` */
function labelOf(type: string, value: number): string {
  const kinds = { alphaLc: 'lowerLetter', alphaUc: 'upperLetter', romanLc: 'lowerRoman', romanUc: 'upperRoman' } as const
  const kind = /^(?:alphaLc|alphaUc|romanLc|romanUc)/.exec(type)?.[0] as keyof typeof kinds | undefined
  const number = formatNumber(value, kind ? kinds[kind] : type.startsWith('circle') ? 'decimalEnclosedCircle' : 'decimal')
  if (type.endsWith('ParenBoth')) return `(${number})`
  if (type.endsWith('ParenR')) return `${number})`
  return type.endsWith('Period') ? `${number}.` : number
}

export function slideTable(table: XmlElement): Block {
  const rows = childrenOf(table, 'a:tr').map((row) =>
    childrenOf(row, 'a:tc')
      .filter(({ attributes: { hMerge, vMerge } }) => !isTrue(hMerge) && !isTrue(vMerge))
      .map((cell) => ({
        text: childrenOf(childOf(cell, 'a:txBody'), 'a:p').map(drawnText).join(' '),
        columns: Number(cell.attributes.gridSpan ?? 1) || 1,
        rows: Number(cell.attributes.rowSpan ?? 1) || 1,
      })),
  )
  return { text: pipeTable(gridOf(rows)) }
}

const isTrue = (value: string | undefined): boolean => value === '1' || value === 'true'
