import type { Column } from '../../ui/data-table.tsx'
import { formatCost } from '../../ui/format-numbers.ts'
import type { Model } from './provider.ts'

/** Price columns for tables of models. Without a cache read price, cached input costs the input price, as in the cost of requests. */
export const priceColumns = (from: 'xs' | 'sm'): readonly Column<Model>[] => [
  { header: 'Input price per 1M tokens', cell: ({ input_price }) => formatCost(input_price), from, align: 'right' },
  {
    header: 'Cache read price',
    cell: ({ cache_read_price, input_price }) => formatCost(cache_read_price ?? input_price),
    from: 'lg',
    align: 'right',
  },
  { header: 'Output price per 1M tokens', cell: ({ output_price }) => formatCost(output_price), from, align: 'right' },
]
