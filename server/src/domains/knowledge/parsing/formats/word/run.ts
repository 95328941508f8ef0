import type { Warnings } from '../../warning.ts'
import { symbolOf } from '../office/symbols.ts'
import { childOf, textIn, type XmlElement } from '../xml.ts'

/** The text of a simple element in a run, or undefined for an element that is read otherwise. */
export function runText(element: XmlElement, properties: XmlElement | undefined, warnings: Warnings): string | undefined {
  switch (element.name) {
    case 'w:t':
      return inFont(textIn(element), properties, warnings)
    case 'w:tab':
    case 'w:ptab':
      return '\t'
    case 'w:br':
    case 'w:cr':
      return '\n'
    case 'w:noBreakHyphen':
      return '-'
    case 'w:softHyphen':
      return ''
    case 'w:sym':
      return symbols([Number.parseInt(element.attributes.char ?? '', 16) || 0], element.attributes.font ?? '', warnings)
    default:
      return undefined
  }
}

/** Text in a font of symbols shows other characters than it holds. */
function inFont(text: string, properties: XmlElement | undefined, warnings: Warnings): string {
  const font = childOf(properties, 'w:rFonts')?.attributes.ascii ?? ''
  if (!/^(?:wingdings|webdings|symbol$)/i.test(font) && !/[\uf000-\uf0ff]/.test(text)) return text
  return symbols(
    [...text].map((character) => character.codePointAt(0) ?? 0),
    font || 'Symbol',
    warnings,
  )
}

function symbols(codes: readonly number[], font: string, warnings: Warnings): string {
  return codes
    .map((code) => {
      if (code === 0x20) return ' '
      const shown = symbolOf(code, font)
      if (shown === undefined) warnings.add('font_without_map', { detail: font })
      return shown ?? ''
    })
    .join('')
}
