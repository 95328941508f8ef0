import { Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'

/** Placeholder while a page loads. */
export function PageSkeleton() {
  const { t } = useTranslation('ui')
  return (
    <Stack aria-busy="true" aria-label={t('loading')} role="status">
      <Skeleton height={32} width={220} />
      <RowsSkeleton />
    </Stack>
  )
}

/** Placeholder while rows load. */
export function RowsSkeleton({ rows = 6 }: { readonly rows?: number }) {
  return (
    <Stack gap="xs" aria-hidden>
      {Array.from({ length: rows }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <Skeleton key={row} height={36} />
      ))}
    </Stack>
  )
}
