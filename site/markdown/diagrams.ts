import { renderMermaidSVG } from 'beautiful-mermaid'
import type { MarkdownRenderer } from 'vitepress'

/** Properties of SVG that the page's style sheet gives (theme/theme.css). */
const OWN_STYLES = / style="[^"]*"|<style>[\s\S]*?<\/style>/g

/**
 * Renders ```mermaid blocks to SVG while the site is built, so that a page needs no script for them. The first line `%% text` is the
 * alternative text.
 */
export function diagrams(markdown: MarkdownRenderer): void {
  const renderFence = markdown.renderer.rules.fence
  let count = 0
  markdown.renderer.rules.fence = (tokens, index, options, environment, self) => {
    const token = tokens[index]
    if (token?.info.trim() !== 'mermaid') return renderFence?.(tokens, index, options, environment, self) ?? ''
    const [, label = 'Diagram'] = /^%% (.*)$/m.exec(token.content) ?? []
    count += 1
    const id = `arrow-${count}`
    const svg = renderMermaidSVG(token.content.replaceAll(/^%% .*\n/gm, ''))
      .replaceAll(OWN_STYLES, '')
      .replaceAll(/(id="|url\(#)arrowhead/g, `$1${id}`)
      .replace('<svg ', `<svg role="img" aria-label="${markdown.utils.escapeHtml(label)}" `)
    // Scrolls on narrow screens, also with the keyboard.
    return `<div class="diagram" v-pre tabindex="0" role="group" aria-label="Diagram">${svg}</div>\n`
  }
}
