import { Button, type ButtonProps } from '@mantine/core'
import { useTranslation } from 'react-i18next'

interface ShowMoreProps extends Pick<ButtonProps, 'variant' | 'fullWidth'> {
  readonly list: { readonly hasMore: boolean; readonly loadingMore: boolean; readonly loadMore: () => void }
}

/** Button that loads the next page of a list, if there is one. */
export function ShowMore({ list: { hasMore, loadingMore, loadMore }, variant = 'default', ...button }: ShowMoreProps) {
  const { t } = useTranslation('ui')
  return (
    hasMore && (
      <Button variant={variant} {...button} loading={loadingMore} onClick={loadMore}>
        {t('table.showMore')}
      </Button>
    )
  )
}
