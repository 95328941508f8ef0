import { createDocument } from '@mixmark-io/domino'

/** The parts of the document object model that are used here; browser types are not loaded. */
export interface DomNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly parentNode: DomElement | null
  readonly firstChild: DomNode | null
  readonly nextSibling: DomNode | null
  readonly previousSibling: DomNode | null
  textContent: string
  cloneNode(isDeep: boolean): DomNode
}

export interface DomElement extends DomNode {
  readonly ownerDocument: DomDocument
  readonly id: string
  /** Of `template`. */
  readonly content?: DomNode
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  setAttribute(name: string, value: string): void
  removeAttribute(name: string): void
  closest(selector: string): DomElement | null
  matches(selector: string): boolean
  getElementsByTagName(name: string): { readonly length: number }
  querySelectorAll(selector: string): ArrayLike<DomElement>
  appendChild(node: DomNode): void
  insertBefore(node: DomNode, before: DomNode | null): void
  removeChild(node: DomNode): void
  replaceChild(node: DomNode, old: DomNode): void
}

export interface DomDocument extends DomElement {
  readonly documentElement: DomElement
  readonly body: DomElement | null
  createElement(name: string): DomElement
  createTextNode(text: string): DomNode
}

/** With the parser that turndown brings. */
export const parseHtml = (html: string): DomDocument => createDocument(html, true)

const isElement = (node: DomNode): node is DomElement => node.nodeType === 1

export const nameOf = (node: DomNode): string => node.nodeName.toUpperCase()

/**
 * All elements below `root` in the order of the document, without recursion, because pages can be nested deeply. `visit` may remove the
 * element, and returns false to skip what is in it.
 */
export function visitElements(root: DomElement, visit: (element: DomElement) => boolean | undefined): void {
  let node: DomNode | null = root.firstChild
  while (node) {
    const after = following(node, root)
    const inside: DomNode | null = isElement(node) && visit(node) !== false ? node.firstChild : null
    node = inside ?? after
  }
}

/** The next node that is not inside of `node`. */
function following(node: DomNode, root: DomNode): DomNode | null {
  for (let at: DomNode | null = node; at && at !== root; at = at.parentNode) if (at.nextSibling) return at.nextSibling
  return null
}

export function elementsOf(root: DomElement, names: ReadonlySet<string>): DomElement[] {
  const elements: DomElement[] = []
  visitElements(root, (element) => {
    if (names.has(nameOf(element))) elements.push(element)
    return true
  })
  return elements
}

export function childElements(element: DomElement): DomElement[] {
  const children: DomElement[] = []
  for (let child = element.firstChild; child; child = child.nextSibling) if (isElement(child)) children.push(child)
  return children
}

/** As `textContent`, which makes the parser's lists of nodes slow to change. */
export function textOf(root: DomNode): string {
  if (root.nodeType === TEXT) return root.textContent
  const parts: string[] = []
  visitNodes(root, (node) => {
    if (node.nodeType === TEXT) parts.push(node.textContent)
  })
  return parts.join('')
}

/** The type of a node that is a text. */
export const TEXT = 3

/** All nodes below `root` in the order of the document. */
export function visitNodes(root: DomNode, visit: (node: DomNode) => void): void {
  for (let node = root.firstChild; node; node = node.firstChild ?? following(node, root)) visit(node)
}

/** The text in one line. */
export const lineOf = (node: DomNode): string => textOf(node).replace(/\s+/g, ' ').trim()

export const remove = (node: DomNode): void => node.parentNode?.removeChild(node)

export function replaceByText(element: DomElement, text: string): void {
  element.parentNode?.replaceChild(element.ownerDocument.createTextNode(text), element)
}

/** Replaces an element by another with the same content, or with `text`. */
export function rename(element: DomElement, name: string, text?: string): void {
  const other = element.ownerDocument.createElement(name)
  if (text !== undefined) element.textContent = text
  while (element.firstChild) other.appendChild(element.firstChild)
  element.parentNode?.replaceChild(other, element)
}

/** Replaces an element by its content, between spaces. */
export function unwrap(element: DomElement): void {
  const { parentNode, ownerDocument } = element
  if (!parentNode) return
  parentNode.insertBefore(ownerDocument.createTextNode(' '), element)
  while (element.firstChild) parentNode.insertBefore(element.firstChild, element)
  parentNode.replaceChild(ownerDocument.createTextNode(' '), element)
}
