import { Skeleton, Stack } from '@mantine/core'

/** A page that is on its way. */
export function PageSkeleton() {
  return (
    <Stack aria-busy="true" aria-label="Loading" role="status">
      <Skeleton height={32} width={220} />
      <RowsSkeleton />
    </Stack>
  )
}

/** Rows that are on their way. */
export function RowsSkeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap="xs" aria-hidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all the same
        <Skeleton key={row} height={36} />
      ))}
    </Stack>
  )
}
