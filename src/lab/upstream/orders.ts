import { createHash } from 'node:crypto';

/** An order of the made-up shop. Money is in cents of `currency`, times are ISO 8601. */
export type Order = {
  readonly orderId: string;
  readonly placedAt: string;
  readonly currency: 'EUR';
  readonly items: readonly OrderItem[];
  readonly shippingCents: number;
  readonly totalCents: number;
  /** What the card was charged; some orders were charged twice. */
  readonly charges: readonly { readonly chargeId: string; readonly amountCents: number }[];
  readonly delivery: Delivery;
};

/** One line of an order. */
export type OrderItem = {
  readonly sku: string;
  readonly name: string;
  readonly quantity: number;
  readonly unitPriceCents: number;
};

/** Where the parcel is. */
export type Delivery = {
  readonly state: 'processing' | 'shipped' | 'delivered' | 'lost' | 'returned';
  readonly carrier: string;
  readonly trackingId: string;
  readonly deliveredAt: string | null;
};

const catalogue = [
  { sku: 'KET-17', name: 'Kettle, 1.7 l', unitPriceCents: 3_990 },
  { sku: 'LMP-02', name: 'Desk lamp, dimmable', unitPriceCents: 4_550 },
  { sku: 'HDP-31', name: 'Headphones, wireless', unitPriceCents: 8_900 },
  { sku: 'BAG-08', name: 'Backpack, 22 l', unitPriceCents: 5_900 },
  { sku: 'MUG-04', name: 'Mug, set of four', unitPriceCents: 2_400 },
  { sku: 'KBD-11', name: 'Keyboard, compact', unitPriceCents: 7_450 },
  { sku: 'PAN-28', name: 'Frying pan, 28 cm', unitPriceCents: 3_250 },
  { sku: 'TWL-06', name: 'Towels, set of six', unitPriceCents: 2_990 },
  { sku: 'CHG-65', name: 'Charger, 65 W', unitPriceCents: 3_490 },
  { sku: 'BLK-01', name: 'Wool blanket', unitPriceCents: 6_900 },
] as const;

const carriers = ['Parcelline', 'Nordpost', 'QuickVan'] as const;
/** Ten in number, so that a byte of the digest picks a delivery state by its share. */
const deliveryStates = [
  'delivered',
  'delivered',
  'delivered',
  'delivered',
  'delivered',
  'shipped',
  'shipped',
  'processing',
  'lost',
  'returned',
] as const;

const firstDay = Date.UTC(2026, 0, 5);
const dayMs = 86_400_000;

/**
 * Returns the order of an id, always the same one. `ORD-1001` to `ORD-1999` exist; any other id
 * gives undefined.
 */
export function findOrder(orderId: string): Order | undefined {
  if (!/^ORD-1\d{3}$/.test(orderId) || orderId === 'ORD-1000') return undefined;
  const bytes = createHash('sha256').update(orderId).digest();
  const byte = (index: number): number => bytes.readUInt8(index);
  const items = chooseItems(byte);
  const shippingCents = byte(10) % 3 === 0 ? 0 : 490;
  const goodsCents = items.reduce((sum, item) => sum + item.quantity * item.unitPriceCents, 0);
  const totalCents = goodsCents + shippingCents;
  const placedAt = firstDay + (byte(11) % 180) * dayMs + byte(12) * 200_000;
  const chargeCount = byte(13) % 8 === 0 ? 2 : 1;
  const tag = bytes.toString('hex', 20, 26);
  return {
    orderId,
    placedAt: new Date(placedAt).toISOString(),
    currency: 'EUR',
    items,
    shippingCents,
    totalCents,
    charges: Array.from({ length: chargeCount }, (_, index) => ({
      chargeId: `ch_${tag}_${index + 1}`,
      amountCents: totalCents,
    })),
    delivery: describeDelivery({ byte, placedAt, tag }),
  };
}

function chooseItems(byte: (index: number) => number): OrderItem[] {
  const count = 1 + (byte(0) % 3);
  const start = byte(1) % catalogue.length;
  // Steps of three visit ten different goods, so that no line repeats a good.
  return Array.from({ length: count }, (_, index) => ({
    ...pick(catalogue, start + 3 * index),
    quantity: byte(2 + index) % 5 === 0 ? 2 : 1,
  }));
}

function describeDelivery(facts: {
  readonly byte: (index: number) => number;
  readonly placedAt: number;
  readonly tag: string;
}): Delivery {
  const { byte, placedAt, tag } = facts;
  const state = pick(deliveryStates, byte(14));
  const arrived = state === 'delivered' || state === 'returned';
  return {
    state,
    carrier: pick(carriers, byte(15)),
    trackingId: `TRK${tag.toUpperCase()}`,
    deliveredAt: arrived ? new Date(placedAt + (2 + (byte(16) % 6)) * dayMs).toISOString() : null,
  };
}

function pick<T>(list: readonly T[] & { readonly 0: T }, index: number): T {
  return list[index % list.length] ?? list[0];
}
