import { describe, expect, test } from 'vitest'
import { collectTexts, replaceTexts } from './message.ts'

const picture = Buffer.from(Array.from({ length: 300 }, (_, index) => (index * 7) % 256)).toString('base64')
const text = Buffer.from('plain words '.repeat(40)).toString('base64')
const messages = (part: object) => [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }]
const read = (part: object): string => collectTexts(messages(part)).join('\n')

describe('media type of a long file', () => {
  test.each([
    `data:image/png;note=JUNIPER;base64,${picture}`,
    `data:image/JUNIPER;base64,${picture}`,
    `data:text/plain;note=JUNIPER;base64,${text}`,
    `data:JUNIPER;base64,${text}`,
    `data:text/plain;note=JUNIPER,${'word%20'.repeat(60)}`,
  ])('texts: detectors read the text in the header of %s', (url) => {
    expect(read({ type: 'image_url', image_url: { url } })).toContain('JUNIPER')
    expect(read({ type: 'file', file: { file_data: url } })).toContain('JUNIPER')
    expect(read({ type: 'video_url', video_url: { url } })).toContain('JUNIPER')
  })

  test('texts: a usual header is no text', () => {
    expect(read({ type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } })).toBe('Hi')
  })

  test('transform: fails when it would change the header, because it cannot be replaced', () => {
    const sent = messages({ type: 'image_url', image_url: { url: `data:image/JUNIPER;base64,${picture}` } })
    const changed = collectTexts(sent).map((each) => each.replace('JUNIPER', '[hidden]'))
    expect(() => replaceTexts(sent, changed)).toThrow('a transform cannot change the media type of a file')
  })
})
