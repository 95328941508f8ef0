import { Button, Fieldset, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { formatPrice } from './format-price.ts'
import { type ModelValues, type PRICES, pricesOf } from './model-values.ts'
import { sourceOf } from './price-columns.tsx'
import type { Model } from './provider.ts'

interface PriceFieldsProps {
  readonly form: UseFormReturnType<ModelValues>
  /** Undefined: a new one. */
  readonly model: Model | undefined
}

/** Prices of a model. Empty ones show the price that counts, and its source. */
export function PriceFields({ form, model }: PriceFieldsProps) {
  const { t } = useTranslation('providers')
  const price = model?.price ?? null
  const isListed = price !== null && sourceOf(price.version) === 'list'
  const field = (name: (typeof PRICES)[number], otherwise: string) => {
    const listed = isListed ? price[name] : null
    return {
      ...(name === 'request_price' && { description: t('prices.perRequest') }),
      placeholder: listed === null ? otherwise : t('prices.listed', { price: formatPrice(listed) }),
      min: 0,
      ...form.getInputProps(name),
    }
  }
  const source = isListed ? t('prices.listHint', { source: price.version }) : t(model ? 'prices.ownHint' : 'prices.newHint')
  return (
    <Fieldset legend={t('prices.fields.title')}>
      <Stack gap="sm">
        <Group justify="space-between">
          <Text size="sm" c="dimmed" flex="1 1 200px">
            {source}
          </Text>
          {isListed && (
            <Button variant="default" size="xs" onClick={() => form.setValues(pricesOf(price))}>
              {t('prices.fill')}
            </Button>
          )}
        </Group>
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <NumberInput label={t('prices.fields.input')} {...field('input_price', t('prices.ifListed'))} />
          <NumberInput label={t('prices.fields.output')} {...field('output_price', t('prices.ifListed'))} />
          <NumberInput label={t('prices.fields.cacheRead')} {...field('cache_read_price', t('prices.sameAsInput'))} />
          <NumberInput label={t('prices.fields.cacheWrite')} {...field('cache_write_price', t('prices.sameAsInput'))} />
          <NumberInput label={t('prices.fields.cacheWrite1h')} {...field('cache_write_1h_price', t('prices.sameAsCacheWrite'))} />
          <NumberInput label={t('prices.fields.reasoning')} {...field('reasoning_price', t('prices.sameAsOutput'))} />
          <NumberInput label={t('prices.fields.request')} {...field('request_price', '0')} />
        </SimpleGrid>
      </Stack>
    </Fieldset>
  )
}
