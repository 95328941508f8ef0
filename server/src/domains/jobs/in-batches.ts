/** Repeats `work`, which handles up to `most` rows and returns how many, until it handles fewer. */
export async function inBatches(most: number, work: (most: number) => Promise<number>): Promise<void> {
  while ((await work(most)) === most);
}
