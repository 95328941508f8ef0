/** A paragraph, table or heading in Markdown. */
export interface Block {
  readonly text: string
  /** Of a list item: 0 for the outermost list. */
  readonly depth?: number
}

/** Joins blocks. The items of a list follow each other without an empty line, indented by their depth. */
export function joinBlocks(blocks: readonly Block[]): string {
  let markdown = ''
  let before: number | undefined
  for (const { text, depth } of blocks) {
    if (text.trim() === '') continue
    // An item that is indented by more than one level would be a code block.
    const shown = depth === undefined ? undefined : Math.min(depth, before === undefined ? 0 : before + 1)
    const separator = markdown === '' ? '' : before !== undefined && shown !== undefined ? '\n' : '\n\n'
    markdown += separator + (shown === undefined ? text : indented(text, shown))
    before = shown
  }
  return markdown
}

function indented(text: string, depth: number): string {
  const indent = '    '.repeat(depth)
  return indent + text.replace(/\n/g, `\n${indent}  `)
}

/** A list item as people see it: `- text`, `1. text`, `- a) text`. */
export function listItem(label: string, text: string, depth: number): Block {
  const mark = /^\d{1,9}[.)]$/.test(label) ? label : `-${label && ` ${label}`}`
  return { text: `${mark} ${text}`, depth }
}

/** Marks at the start of a line that would make it a heading or a code block in Markdown. */
export const escapeLines = (text: string): string => text.replace(/^([^\S\n]*)(#{1,6}\s|```|~~~)/gm, '$1\\$2')

/** A line with `marks` for its level, such as `## Title`. Empty for an empty title. */
export function heading(level: number, title: string): Block {
  const line = title.replace(/\s+/g, ' ').trim()
  return { text: line && `${'#'.repeat(level)} ${line}` }
}

/** `[text](target)` if the target is an address that people can open and that the text does not show. */
export function linkTo(target: string, text: string): string {
  const isUseful =
    text.trim() !== '' && text !== target && !text.includes('\n') && /^(?:https?:|mailto:)[^\s()<>]{1,500}$/i.test(target)
  return isUseful ? `[${text.trim()}](${target})` : text
}
