import { expect, test } from 'vitest'
import { unreadableFile } from './file-fields.ts'

const file = (charset: string) => ({ type: 'file', file: { file_data: `data:text/plain;charset=${charset};base64,QmVybg==` } })

test.each(['constructor', '__proto__', 'utf-7'])(
  'file: a text with the charset %s cannot be read, and the field is named',
  (charset) => {
    expect(unreadableFile(file(charset))).toEqual({
      path: 'file.file_data',
      message: expect.stringContaining('send it as UTF-8'),
    })
  },
)

test('file: a text in UTF-8 can be read', () => expect(unreadableFile(file('utf-8'))).toBeUndefined())
