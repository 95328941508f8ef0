import { expect, test } from 'vitest'
import type { Classification } from '../../shared/classification.ts'
import { effectiveClassification, UNLABELLED } from './labels.ts'

test.each<
  [collection: Classification | null, document: Classification | null, inside: Classification | null, is: Classification]
>([
  [null, null, null, 'restricted'],
  [null, null, 'public', 'restricted'],
  ['internal', null, null, 'internal'],
  [null, 'internal', null, 'internal'],
  ['internal', 'public', null, 'internal'],
  ['internal', 'confidential', null, 'confidential'],
  ['internal', null, 'confidential', 'confidential'],
  ['internal', null, 'public', 'internal'],
  ['public', 'internal', 'restricted', 'restricted'],
])('effectiveClassification: collection %s, document %s, front matter %s: %s', (collection, document, inside, is) => {
  const limits = { ...UNLABELLED, classification: inside }
  expect(effectiveClassification({ classification: collection }, { ...UNLABELLED, classification: document, limits })).toBe(is)
})
