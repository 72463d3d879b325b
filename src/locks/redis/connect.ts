import { type Cluster, type Redis } from 'ioredis';

export type RedisClient = Redis | Cluster;
