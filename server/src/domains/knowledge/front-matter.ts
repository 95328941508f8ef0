import { Type } from 'typebox'
import { checker } from '../../platform/lib/schema.ts'
import { LabelFields, parseLabels } from './label-fields.ts'
import { type Labels, UNLABELLED } from './labels.ts'
import { DocumentError, type FrontMatter } from './parsing/document.ts'

const check = checker(Type.Object(LabelFields))

/** The labels in a document's front matter. Throws a DocumentError for invalid labels, because they were meant to protect the document. */
export function frontMatterLabels({ classification, regulations, acl }: FrontMatter = {}): Labels {
  const fields = { classification, regulations: typeof regulations === 'string' ? [regulations] : regulations, acl }
  const checked = check(Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null)))
  const labels = checked.ok ? parseLabels(checked.value) : checked
  if (!labels.ok) throw new DocumentError('broken', `Front matter: ${labels.problem.param} ${labels.problem.message}.`)
  return { ...UNLABELLED, ...labels.value }
}
