import { Parser } from 'saxen'
import { DocumentError } from '../document.ts'

/** An element of an XML file. Names have the prefixes of `NAMESPACES`; attributes in the element's own namespace have none. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: (XmlElement | string)[]
}

const OFFICE = 'http://schemas.openxmlformats.org'
const STRICT = 'http://purl.oclc.org/ooxml'
const ODF = 'urn:oasis:names:tc:opendocument:xmlns'

/** Files choose their own prefixes. These are the usual ones. */
const NAMESPACES: Readonly<Record<string, string>> = {
  ...office('w', 'wordprocessingml/2006/main', 'wordprocessingml/main'),
  ...office('x', 'spreadsheetml/2006/main', 'spreadsheetml/main'),
  ...office('p', 'presentationml/2006/main', 'presentationml/main'),
  ...office('a', 'drawingml/2006/main', 'drawingml/main'),
  ...office('c', 'drawingml/2006/chart', 'drawingml/chart'),
  ...office('dgm', 'drawingml/2006/diagram', 'drawingml/diagram'),
  ...office('pic', 'drawingml/2006/picture', 'drawingml/picture'),
  ...office('wp', 'drawingml/2006/wordprocessingDrawing', 'drawingml/wordprocessingDrawing'),
  ...office('xdr', 'drawingml/2006/spreadsheetDrawing', 'drawingml/spreadsheetDrawing'),
  ...office('m', 'officeDocument/2006/math', 'officeDocument/math'),
  ...office('r', 'officeDocument/2006/relationships', 'officeDocument/relationships'),
  [`${OFFICE}/package/2006/relationships`]: 'rel',
  [`${OFFICE}/package/2006/content-types`]: 'ct',
  [`${OFFICE}/markup-compatibility/2006`]: 'mc',
  'http://schemas.microsoft.com/office/word/2010/wordml': 'w14',
  'http://schemas.microsoft.com/office/drawing/2014/chartex': 'cx',
  'urn:schemas-microsoft-com:vml': 'v',
  'urn:schemas-microsoft-com:office:office': 'o',
  'http://purl.org/dc/elements/1.1/': 'dc',
  'http://www.idpf.org/2007/opf': 'opf',
  'http://www.w3.org/1999/xlink': 'xlink',
  'http://www.w3.org/1998/Math/MathML': 'math',
  ...Object.fromEntries(
    ['office', 'text', 'table', 'style', 'presentation', 'chart', 'form'].map((name) => [`${ODF}:${name}:1.0`, name]),
  ),
  [`${ODF}:drawing:1.0`]: 'draw',
  [`${ODF}:svg-compatible:1.0`]: 'svg',
  [`${ODF}:xsl-fo-compatible:1.0`]: 'fo',
}

function office(prefix: string, name: string, strictName: string): Record<string, string> {
  return { [`${OFFICE}/${name}`]: prefix, [`${STRICT}/${strictName}`]: prefix }
}

type Take = (element: XmlElement) => void

/** Deeper files are refused, because readers follow the nesting. */
const MAX_DEPTH = 400

/**
 * The root element. Entities of a DTD are not expanded. Functions in `take` receive the closed elements with their name, which are
 * then not kept in their parents, so that a large file does not need memory for all of its elements at once. `children` does so for
 * all child elements of one name's elements.
 */
export function parseXml(
  xml: string,
  take: ReadonlyMap<string, Take> = new Map(),
  children?: { readonly of: string; readonly take: Take },
): XmlElement {
  const parser = new Parser()
  parser.ns(NAMESPACES)
  const top: XmlElement = { name: '', attributes: {}, children: [] }
  const open = [top]
  const append = (text: string): void => {
    open.at(-1)?.children.push(text)
  }
  parser.on('openTag', (name, attributesOf, decode) => {
    if (open.length > MAX_DEPTH) throw damaged('XML is nested too deeply.')
    open.push({ name, attributes: attributesIn(name, attributesOf(), decode), children: [] })
  })
  parser.on('closeTag', () => {
    const element = open.pop() ?? top
    const parent = open.at(-1) ?? top
    const taken = parent.name === children?.of ? children.take : take.get(element.name)
    const results = element.name === 'mc:AlternateContent' ? chosen(element) : [element]
    for (const result of results) {
      if (taken && typeof result !== 'string') taken(result)
      else parent.children.push(result)
    }
  })
  parser.on('text', (text, decode) => append(decode(text)))
  parser.on('cdata', append)
  parser.on('error', (error) => {
    throw damaged(error)
  })
  parser.parse(xml)
  const root = top.children.find((child) => typeof child !== 'string')
  if (!root) throw damaged('XML has no element.')
  return root
}

const NO_ATTRIBUTES = {}

/** Decoded, and without the prefix of the element's namespace. */
function attributesIn(
  element: string,
  attributes: Readonly<Record<string, string>>,
  decode: (text: string) => string,
): XmlElement['attributes'] {
  const prefix = element.slice(0, element.indexOf(':') + 1)
  let result: Record<string, string> | undefined
  for (const name in attributes) {
    const value = attributes[name] ?? ''
    result ??= {}
    result[prefix !== '' && name.startsWith(prefix) ? name.slice(prefix.length) : name] = value.includes('&')
      ? decode(value)
      : value
  }
  return result ?? NO_ATTRIBUTES
}

/** The content for new programs if it is there, and else the one for old programs. */
function chosen(alternatives: XmlElement): XmlElement['children'] {
  const options = [...childrenOf(alternatives, 'mc:Choice'), ...childrenOf(alternatives, 'mc:Fallback')]
  return options.find((option) => option.children.some((child) => typeof child !== 'string'))?.children ?? []
}

const damaged = (cause: unknown): DocumentError =>
  new DocumentError('broken', 'The file is damaged or incomplete. Save it again from the program that created it.', cause)

/** The child elements, of one name if it is given. */
export function childrenOf(element: XmlElement | undefined, name?: string): XmlElement[] {
  return (element?.children ?? []).filter(
    (child): child is XmlElement => typeof child !== 'string' && (name === undefined || child.name === name),
  )
}

/** The element at the end of a path of child names. */
export function childOf(element: XmlElement | undefined, ...path: readonly string[]): XmlElement | undefined {
  return path.reduce<XmlElement | undefined>(
    (parent, name) => parent?.children.find((child): child is XmlElement => typeof child !== 'string' && child.name === name),
    element,
  )
}

/** All elements with one of the names inside of `element`, in their order, and none inside of another. */
export function findAll(element: XmlElement | undefined, ...names: readonly string[]): XmlElement[] {
  return childrenOf(element).flatMap((child) => (names.includes(child.name) ? [child] : findAll(child, ...names)))
}

export function textIn(element: XmlElement | undefined): string {
  return (element?.children ?? []).map((child) => (typeof child === 'string' ? child : textIn(child))).join('')
}

/** Whether a property such as `<w:vanish/>` is set: `undefined` if it is absent. */
export function isOn(element: XmlElement | undefined, name: string): boolean | undefined {
  const property = childOf(element, name)
  return property && !/^(?:0|false|off|none)$/.test(property.attributes.val ?? '1')
}

/** Decodes UTF-8 or UTF-16 and removes the byte order mark. */
export function decodeXml(bytes: Uint8Array | undefined): string {
  const isUtf16 = bytes?.[0] === 0xff || bytes?.[0] === 0xfe
  return new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes)
}
