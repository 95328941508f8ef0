import { type DomElement, elementsOf, lineOf, nameOf, remove, replaceByText, textOf, unwrap } from './dom.ts'

/** Fields without text that a reader sees. */
const SILENT = /^(?:hidden|password|file|range|color)$/i

/** Replaces the fields of forms by the text that a reader sees: values, chosen options and the marks of boxes. */
export function showFields(root: DomElement): void {
  for (const element of elementsOf(root, new Set(['INPUT', 'SELECT', 'TEXTAREA', 'BUTTON']))) {
    switch (nameOf(element)) {
      case 'INPUT':
        replaceByText(element, ` ${inputText(element)} `)
        break
      case 'SELECT':
        replaceByText(element, ` ${selectText(element)} `)
        break
      case 'TEXTAREA':
        replaceByText(element, ` ${textOf(element).trim() || (element.getAttribute('placeholder') ?? '')} `)
        break
      default:
        // Also the questions of an accordion.
        unwrap(element)
    }
  }
}

function inputText(input: DomElement): string {
  const type = input.getAttribute('type') ?? 'text'
  if (SILENT.test(type)) return ''
  if (/^(?:checkbox|radio)$/i.test(type)) return box(input.hasAttribute('checked'))
  if (/^image$/i.test(type)) return input.getAttribute('alt') ?? ''
  return input.getAttribute('value') || (input.getAttribute('placeholder') ?? '')
}

const box = (isChecked: boolean): string => (isChecked ? '☒' : '☐')

function selectText(select: DomElement): string {
  const options = elementsOf(select, new Set(['OPTION']))
  const isList = select.hasAttribute('multiple') || Number(select.getAttribute('size')) > 1
  if (isList) return options.map((option) => `${box(option.hasAttribute('selected'))} ${lineOf(option)}`).join(' ')
  const chosen =
    options.findLast((option) => option.hasAttribute('selected')) ?? options.find((option) => !option.hasAttribute('disabled'))
  return chosen ? chosen.getAttribute('label') || lineOf(chosen) : ''
}

/** Replaces pictures by their alternative text. Returns the number of pictures whose author wrote none. */
export function describePictures(root: DomElement): number {
  let undescribed = 0
  for (const element of elementsOf(root, new Set(['IMG', 'SVG']))) {
    if (nameOf(element) === 'SVG') {
      const text = elementsOf(element, new Set(['TEXT', 'FOREIGNOBJECT']))
        .map(lineOf)
        .join(' ')
      replaceByText(element, text && ` ${text} `)
      continue
    }
    const alt = element.getAttribute('alt')
    const isPixel = [element.getAttribute('width'), element.getAttribute('height')].some((size) =>
      /^[01](?:px)?$/.test(size ?? ''),
    )
    if (alt === null && !isPixel && element.getAttribute('src')) undescribed += 1
    if (!alt) remove(element)
    else replaceByText(element, alt.replace(/\s+/g, ' ').trim())
  }
  return undescribed
}
