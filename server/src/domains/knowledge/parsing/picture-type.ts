/** Picture formats by their first bytes, in hexadecimal. */
const PICTURES: readonly (readonly [RegExp, PictureType])[] = [
  [/^89504e47/, 'image/png'],
  [/^ffd8ff/, 'image/jpeg'],
  [/^474946383[79]61/, 'image/gif'],
  [/^(?:49492a00|4d4d002a)/, 'image/tiff'],
  [/^52494646.{8}57454250/, 'image/webp'],
]

export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/tiff' | 'image/webp'

/** Undefined: the file is no picture. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  const start = Buffer.from(bytes.subarray(0, 12)).toString('hex')
  return PICTURES.find(([pattern]) => pattern.test(start))?.[1]
}
