import { expect, test } from 'vitest'
import { detectType } from './media-type.ts'

test('detectType: the file is plain text when the uploader states a type with the name of an inherited field', () => {
  expect(detectType(Buffer.from('notes'), 'notes', 'constructor')).toEqual({ mediaType: 'text/plain', text: 'notes' })
})
