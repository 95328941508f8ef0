import { Button, type ButtonProps } from '@mantine/core'

interface ShowMoreProps extends Pick<ButtonProps, 'variant' | 'fullWidth'> {
  readonly list: { readonly hasMore: boolean; readonly loadingMore: boolean; readonly loadMore: () => void }
}

/** Button that loads the next page of a list, if there is one. */
export const ShowMore = ({ list: { hasMore, loadingMore, loadMore }, variant = 'default', ...button }: ShowMoreProps) =>
  hasMore && (
    <Button variant={variant} {...button} loading={loadingMore} onClick={loadMore}>
      Show more
    </Button>
  )
