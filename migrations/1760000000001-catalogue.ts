import { type MigrationInterface, type QueryRunner } from 'typeorm';

interface Listing {
  readonly category: string;
  readonly brand: string;
  readonly name: string;
  readonly description: string;
  readonly price: number;
  readonly properties: Readonly<Record<string, string | number>>;
}

const INITIAL_STOCK = 1000;

/** What the shop sells. Examples use goods 1; the others are for baskets and for locks with several keys. */
const CATALOGUE: readonly Listing[] = [
  {
    category: 'audio',
    brand: 'Otherside',
    name: 'Flash-sale headphones',
    price: 49,
    description: 'Everybody wants them at the same second.',
    properties: { colour: 'black', wireless: 'yes' },
  },
  {
    category: 'audio',
    brand: 'Otherside',
    name: 'Desk speaker',
    price: 79.5,
    description: 'A small speaker for one desk.',
    properties: { colour: 'oak', watts: 20 },
  },
  {
    category: 'keyboards',
    brand: 'Clack',
    name: 'Quiet keyboard',
    price: 119,
    description: 'Full size, quiet switches.',
    properties: { layout: 'ISO', keys: 105 },
  },
  {
    category: 'keyboards',
    brand: 'Clack',
    name: 'Travel keyboard',
    price: 89,
    description: 'Folds once, fits a coat pocket.',
    properties: { layout: 'ANSI', keys: 66 },
  },
  {
    category: 'lamps',
    brand: 'Lumen & Daughters',
    name: 'Reading lamp',
    price: 34.9,
    description: 'Warm light, one knob.',
    properties: { kelvin: 2700, watts: 6 },
  },
  {
    category: 'lamps',
    brand: 'Lumen & Daughters',
    name: 'Workshop lamp',
    price: 54,
    description: 'Bright enough to solder by.',
    properties: { kelvin: 5000, watts: 14 },
  },
  {
    category: 'kitchen',
    brand: 'Kettle Row',
    name: 'Enamel kettle',
    price: 39,
    description: 'Whistles.',
    properties: { litres: 1.7, colour: 'blue' },
  },
  {
    category: 'kitchen',
    brand: 'Kettle Row',
    name: 'Coffee mill',
    price: 64,
    description: 'Steel burrs, hand cranked.',
    properties: { grams: 30, material: 'steel' },
  },
  {
    category: 'bags',
    brand: 'Longstrap',
    name: 'Day pack',
    price: 72,
    description: 'Twenty litres, rain cover included.',
    properties: { litres: 20, colour: 'moss' },
  },
  {
    category: 'bags',
    brand: 'Longstrap',
    name: 'Tool roll',
    price: 28,
    description: 'Waxed canvas, twelve pockets.',
    properties: { pockets: 12, colour: 'tan' },
  },
  {
    category: 'books',
    brand: 'Paper Street',
    name: 'Squared notebook',
    price: 9.5,
    description: 'Lies flat.',
    properties: { pages: 192, ruling: '5 mm' },
  },
  {
    category: 'books',
    brand: 'Paper Street',
    name: 'Field notebook',
    price: 6,
    description: 'Water does it little harm.',
    properties: { pages: 64, ruling: 'dots' },
  },
];

export class Catalogue1760000000001 implements MigrationInterface {
  name = 'Catalogue1760000000001';

  async up(runner: QueryRunner): Promise<void> {
    // DDL commits by itself, so an earlier attempt may have stopped half way: start from empty tables.
    await runner.query('DELETE FROM runs');
    await runner.query('DELETE FROM goods');
    for (const [index, item] of CATALOGUE.entries()) {
      const id = index + 1;
      await runner.query(
        `INSERT INTO goods (id, category, brand, name, picture, description, price, supply, inventory, properties, run_id)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          id,
          item.category,
          item.brand,
          item.name,
          `/pictures/${item.category}.svg`,
          item.description,
          item.price,
          INITIAL_STOCK,
          INITIAL_STOCK,
          JSON.stringify(item.properties),
          id,
        ],
      );
      await runner.query('INSERT INTO runs (id, goods_id, initial) VALUES (?, ?, ?)', [
        id,
        id,
        INITIAL_STOCK,
      ]);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM runs');
    await runner.query('DELETE FROM goods');
  }
}
