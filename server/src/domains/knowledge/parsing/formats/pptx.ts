import type { FileContent } from '../document.ts'
import type { Warnings } from '../warning.ts'
import { type Block, joinBlocks } from './office/blocks.ts'
import { Package } from './office/package.ts'
import { readSlide, type Slides } from './slides/slide.ts'
import { childOf, childrenOf } from './xml.ts'

/** Converts the visible slides of a PowerPoint file to Markdown, with their notes. */
export async function readPptx(bytes: Uint8Array, warnings: Warnings): Promise<FileContent> {
  const pkg = await Package.open(bytes)
  const main = pkg.main('PowerPoint')
  const relations = pkg.relations(main)
  const slides: Slides = { pkg, warnings, seen: new Set() }
  const blocks: Block[] = []
  for (const [index, { attributes }] of childrenOf(childOf(pkg.part(main), 'p:sldIdLst'), 'p:sldId').entries()) {
    const place = `slide ${index + 1}`
    const name = relations.get(attributes['r:id'] ?? '')?.target
    const slide = pkg.part(name)
    if (name === undefined || !slide) warnings.add('ignored_part', { place })
    else if (/^(?:0|false)$/.test(slide.attributes.show ?? '')) warnings.add('hidden_text', { place })
    else blocks.push(...readSlide(name, index + 1, slides))
  }
  return { markdown: joinBlocks(blocks), title: pkg.title() }
}
