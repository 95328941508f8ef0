let turnAhead: Promise<void> | undefined

/** The next turn of the event loop. All callers of one turn resume together, so they run step by step and share warm CPU caches (bench/README.md). */
export function nextTurn(): Promise<void> {
  turnAhead ??= new Promise((resolve) => {
    setImmediate(() => {
      turnAhead = undefined
      resolve()
    })
  })
  return turnAhead
}
