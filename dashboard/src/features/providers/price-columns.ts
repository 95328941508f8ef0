import type { Column } from '../../ui/data-table.tsx'
import { formatCost } from '../../ui/format-numbers.ts'
import type { Model } from './provider.ts'

/**
 * Price columns for tables of models: the prices that count, of an operator or of the release's list. Without a cache read price, cached input
 * costs the input price, as in the cost of requests.
 */
export const priceColumns = (from: 'xs' | 'sm'): readonly Column<Model>[] => [
  {
    header: 'Input price per 1M tokens',
    cell: ({ price }) => (price === null ? 'no price' : formatCost(price.input_price)),
    from,
    align: 'right',
  },
  {
    header: 'Cache read price',
    cell: ({ price }) => formatCost(price && (price.cache_read_price ?? price.input_price)),
    from: 'lg',
    align: 'right',
  },
  { header: 'Output price per 1M tokens', cell: ({ price }) => formatCost(price?.output_price ?? null), from, align: 'right' },
]
