import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rootOf } from '../../../../test/support/check-inclusion.ts'
import { Frontier, inclusionPath, leafHash, nodeHash } from './merkle.ts'

/** The leaves and roots that the reference implementations of RFC 6962 and RFC 9162 are tested with. */
const INPUTS = ['', '00', '10', '2021', '3031', '40414243', '5051525354555657', '606162636465666768696a6b6c6d6e6f']
const ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]
const LEAVES = INPUTS.map((input) => leafHash(Buffer.from(input, 'hex')))
const hex = (hashes: readonly Buffer[]) => hashes.map((hash) => hash.toString('hex'))

describe('test vectors of RFC 9162', () => {
  test.each(ROOTS.map((root, size) => ({ root, size })))('root of $size leaves', ({ root, size }) => {
    expect(frontierOf(LEAVES, size).root().toString('hex')).toBe(root)
  })

  test.each([
    {
      index: 0,
      size: 8,
      path: [
        '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
      ],
    },
    {
      index: 5,
      size: 8,
      path: [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    },
    { index: 2, size: 3, path: ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125'] },
    {
      index: 1,
      size: 5,
      path: [
        '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    },
  ])('audit path of leaf $index in $size', ({ index, size, path }) => {
    expect(hex(inclusionPath(new Frontier(), LEAVES.slice(0, size), index))).toEqual(path)
  })
})

const leaves = (size: number) => Array.from({ length: size }, (_, index) => leafHash(Buffer.from(`leaf ${index}`)))

function frontierOf(all: readonly Buffer[], size = all.length): Frontier {
  const frontier = new Frontier()
  for (const leaf of all.slice(0, size)) frontier.append(leaf)
  return frontier
}

/** As RFC 9162 §2.1.1 defines it. */
function rootByDefinition(all: readonly Buffer[]): Buffer {
  if (all.length === 1) return all[0] as Buffer
  const middle = 2 ** (Math.ceil(Math.log2(all.length)) - 1)
  return nodeHash(rootByDefinition(all.slice(0, middle)), rootByDefinition(all.slice(middle)))
}

/** The size of a tree, how many of its leaves are gone, and the index of one that is still there. */
const trees = fc
  .integer({ min: 1, max: 200 })
  .chain((size) => fc.tuple(fc.constant(size), fc.nat(size - 1)))
  .chain(([size, gone]) => fc.tuple(fc.constant(size), fc.constant(gone), fc.integer({ min: gone, max: size - 1 })))

test('inclusionPath: leads from a leaf to the root, also without the leaves before the frontier', () => {
  fc.assert(
    fc.property(trees, ([size, gone, index]) => {
      const all = leaves(size)
      const root = rootByDefinition(all)
      expect(frontierOf(all).root()).toEqual(root)
      const path = inclusionPath(frontierOf(all, gone), all.slice(gone), index)
      expect(rootOf(all[index] as Buffer, index, size, path)).toEqual(root)
    }),
    { numRuns: 300 },
  )
  expect(() => inclusionPath(frontierOf(leaves(5)), leaves(1), 4)).toThrow(RangeError)
})

test('Frontier.fromBytes: continues the tree', () => {
  const all = leaves(100)
  const before = frontierOf(all, 77)
  const again = Frontier.fromBytes(77, Buffer.concat(before.peaks))
  for (const leaf of all.slice(77)) again.append(leaf)
  expect(again.root()).toEqual(rootByDefinition(all))
  expect(() => Frontier.fromBytes(78, Buffer.concat(before.peaks.slice(1)))).toThrow(RangeError)
})

test('Frontier.firstDifference: returns the first differing subtree', () => {
  const all = leaves(100)
  for (const changed of [0, 63, 64, 95, 96, 99]) {
    const other = all.with(changed, leafHash(Buffer.from('another')))
    const at = frontierOf(all).firstDifference(frontierOf(other))
    expect(at).toEqual(changed < 64 ? { start: 0, end: 64 } : changed < 96 ? { start: 64, end: 96 } : { start: 96, end: 100 })
  }
  expect(frontierOf(all).firstDifference(frontierOf(all))).toBeUndefined()
})
