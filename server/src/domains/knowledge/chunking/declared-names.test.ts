import { expect, test } from 'vitest'
import { declaredNames } from './declared-names.ts'

test.each([
  ['export async function loadUser(id: string) {\n  const row = 1\n}', ['loadUser', 'row']],
  ['pub(crate) struct DiffExecutor<A, B> {\n}\nimpl<A> HasObservers for DiffExecutor {', ['DiffExecutor', 'HasObservers']],
  ['class Parser(Base):\n    def parse(self):\n        return 1', ['Parser', 'parse']],
  ['func ServeHTTP(w Writer) {}\ntype Server struct {', ['ServeHTTP', 'Server']],
  ['public static final class Order extends Item {', ['Order']],
  ['fn main() {}\nfn main() {}', ['main']],
  ['class of 2024 people\ntype of contract\nThe function of the board (see above)', []],
  ['record keeping is a duty. A class action (US) is open to all.', []],
])('declaredNames: %j', (text, names) => {
  expect(declaredNames(text)).toEqual(names)
})

test('declaredNames: there are 20 at most', () => {
  const text = Array.from({ length: 50 }, (_, at) => `def name_${at}():`).join('\n')
  expect(declaredNames(text)).toHaveLength(20)
})
