import type { MarkdownRenderer } from 'vitepress'

/** Aligns the columns of tables by classes, because the content security policy forbids `style` attributes. */
export function alignByClass(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push('align-by-class', ({ tokens }) => {
    for (const token of tokens) {
      const [, side] = /^text-align:(\w+)$/.exec(token.attrGet('style') ?? '') ?? []
      if (side === undefined) continue
      token.attrs = (token.attrs ?? []).filter(([name]) => name !== 'style')
      token.attrJoin('class', `align-${side}`)
    }
  })
}
