package org.allocsim.simulator.trace;

/**
 * Identity of a memory pool as PyTorch writes it: {@code (0,0)} is the default pool, {@code (k,0)}
 * a pool made by graph capture, {@code (0,k)} one made by the user ({@code torch.cuda.MemPool}).
 *
 * @param capture number of the capture that made the pool, or 0
 * @param user number of the user's pool, or 0
 */
public record PoolId(long capture, long user) {
  /** The pool that serves every request outside private pools. */
  public static final PoolId DEFAULT = new PoolId(0, 0);

  /**
   * The identity of a pool that PyTorch's history does not name. Such pools are told apart from
   * those that PyTorch numbered by a negative number of the user's pool.
   *
   * @param number how many such pools come before it
   */
  public static PoolId unnamed(long number) {
    return new PoolId(0, -1 - number);
  }

  /** Whether PyTorch gave this identity, which decides when it releases the pool among others. */
  public boolean isPyTorchs() {
    return user >= 0;
  }

  /** Whether this is the default pool. */
  public boolean isDefault() {
    return capture == 0 && user == 0;
  }

  @Override
  public String toString() {
    return "(" + capture + "," + user + ")";
  }
}
