import { format, type Money } from "@core/money";
import type { FunctionalComponent } from "vue";

export interface PriceTagProps {
  amount: Money;
  /** Shown struck through before the amount, when it is higher. */
  before?: Money;
  locale?: string;
}

function Strike({ amount, locale }: { amount: Money; locale?: string }) {
  return (
    <s class="price-before" aria-hidden="true">
      {format(amount, locale)}
    </s>
  );
}

export const PriceTag: FunctionalComponent<PriceTagProps> = ({ amount, before, locale }) => {
  const reduced = before !== undefined && before.minor > amount.minor;
  const label = reduced ? `${format(amount, locale)}, reduced from ${format(before, locale)}` : format(amount, locale);
  return (
    <span class={["price", { "price-reduced": reduced }]} aria-label={label}>
      {reduced && <Strike amount={before} locale={locale} />}
      {amount.minor === 0 ? "free" : format(amount, locale)}
    </span>
  );
};

PriceTag.props = ["amount", "before", "locale"];
