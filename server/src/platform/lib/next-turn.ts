let turnAhead: Promise<void> | undefined

/** The next turn of the event loop. All who wait for it go on together from one `await` to the next, so each step finds its code in the processor's caches. */
export function nextTurn(): Promise<void> {
  turnAhead ??= new Promise((resolve) => {
    setImmediate(() => {
      turnAhead = undefined
      resolve()
    })
  })
  return turnAhead
}
