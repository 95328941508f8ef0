import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { testFolder } from '../../../test/support/temporary-folder.ts'
import { filesBelow } from './folder-files.ts'

let outside: string
let folder: string
beforeEach(() => {
  outside = testFolder()
  folder = join(outside, 'folder')
  mkdirSync(folder)
  writeFileSync(join(outside, 'secret.md'), 'secret')
})

const put = (key: string): void => {
  mkdirSync(join(folder, key, '..'), { recursive: true })
  writeFileSync(join(folder, key), key)
}
const keys = async (): Promise<string[]> => (await Array.fromAsync(filesBelow(folder))).map(({ key }) => key)

test('filesBelow: yields every file once, sorted by folder and name', async () => {
  for (const key of ['b.md', 'B.md', 'a/z.md', 'a/a/x.md', 'ä.md', 'c d.md', '10.md', '9.md']) put(key)
  expect(await keys()).toEqual(['10.md', '9.md', 'B.md', 'a/a/x.md', 'a/z.md', 'b.md', 'c d.md', 'ä.md'])
})

test('filesBelow: skips hidden files', async () => {
  for (const key of ['.hidden.md', '.git/config.md', 'a/.b/c.md', 'a/d.md']) put(key)
  expect(await keys()).toEqual(['a/d.md'])
})

test('filesBelow: follows links within the folder only, without cycles', async () => {
  put('a/b/c.md')
  put('.versions/now/d.md')
  symlinkSync('../secret.md', join(folder, 'out.md'))
  symlinkSync(join(outside, 'secret.md'), join(folder, 'absolute.md'))
  symlinkSync('..', join(folder, 'above'))
  symlinkSync('/', join(folder, 'everything'))
  symlinkSync('nowhere', join(folder, 'dangling.md'))
  symlinkSync('.', join(folder, 'itself'))
  symlinkSync('..', join(folder, 'a/b/circle'))
  symlinkSync('.versions/now/d.md', join(folder, 'd.md'))
  symlinkSync('a/b', join(folder, 'short'))
  expect(await keys()).toEqual(['a/b/c.md', 'd.md', 'short/c.md'])
})

test('filesBelow: skips a link to a sibling folder with a similar name', async () => {
  mkdirSync(`${folder}-other`)
  writeFileSync(join(`${folder}-other`, 'x.md'), 'x')
  symlinkSync('../folder-other/x.md', join(folder, 'x.md'))
  expect(await keys()).toEqual([])
})

test('filesBelow: throws when the folder does not exist', async () => {
  await expect(Array.fromAsync(filesBelow(join(folder, 'nowhere')))).rejects.toThrow('ENOENT')
})
