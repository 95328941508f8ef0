import { createHash } from 'node:crypto'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { SiteConfig } from 'vitepress'
import { codeStyles } from '../markdown/class-styles.ts'

const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)(?![^>]*type="application)[^>]*>([\s\S]*?)<\/script>/g

/** Styles that VitePress sets again from its script, or theme.css gives. The content security policy forbids the attribute. */
const INITIAL_STYLES = / style="(?:position:relative;|--vp-vh:0px;)"/g

export const removeStyles = (html: string): string => html.replaceAll(INITIAL_STYLES, '')

/** Writes the colors of code and the hashes of inline scripts (for the content security policy), and compresses pages and assets. */
export function finishBuild({ outDir }: SiteConfig): void {
  writeFileSync(join(outDir, 'code.css'), codeStyles())
  const pages = globSync('**/*.html', { cwd: outDir }).map((name) => readFileSync(join(outDir, name), 'utf8'))
  const scripts = pages.flatMap((page) => [...page.matchAll(INLINE_SCRIPT)].map(([, script = '']) => script))
  const hashes = [...new Set(scripts)].map((script) => `sha256-${createHash('sha256').update(script).digest('base64')}`)
  writeFileSync(join(outDir, 'script-hashes.json'), JSON.stringify(hashes.sort()))
  for (const name of globSync('**/*.{html,js,css,md,txt}', { cwd: outDir })) {
    const path = join(outDir, name)
    writeFileSync(`${path}.gz`, gzipSync(readFileSync(path)))
  }
}
