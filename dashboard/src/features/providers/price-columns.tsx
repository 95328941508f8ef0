import { useTranslation } from 'react-i18next'
import type { Column } from '../../ui/data-table.tsx'
import { formatPrice } from './format-price.ts'
import type { Model } from './provider.ts'

/** Where the price that counts comes from. */
export const sourceOf = (version: string): 'operator' | 'stub' | 'list' =>
  version === 'operator' || version === 'stub' ? version : 'list'

/**
 * Price columns for tables of models: the prices that count, of an operator or of the release's list. Without a cache read price, cached input
 * costs the input price, as in the cost of requests.
 */
export function usePriceColumns(from: 'xs' | 'sm'): readonly Column<Model>[] {
  const { t } = useTranslation('providers')
  return [
    {
      header: t('prices.input'),
      cell: ({ price }) => (price === null ? t('prices.none') : formatPrice(price.input_price)),
      from,
      align: 'right',
    },
    {
      header: t('prices.cacheRead'),
      cell: ({ price }) => formatPrice(price && (price.cache_read_price ?? price.input_price)),
      from: 'lg',
      align: 'right',
    },
    { header: t('prices.output'), cell: ({ price }) => formatPrice(price?.output_price ?? null), from, align: 'right' },
    {
      header: t('prices.source'),
      cell: ({ price }) => price && <span title={price.version}>{t(`prices.sources.${sourceOf(price.version)}`)}</span>,
      from: 'md',
    },
  ]
}
