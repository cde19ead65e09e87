package org.allocsim.analysis.serving;

/** Numbers that wait, in order; those that come back go to the front. */
final class IntQueue {
  private int[] numbers = new int[1024];
  private int first;
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  int size() {
    return size;
  }

  int peek() {
    return numbers[first];
  }

  int poll() {
    int number = numbers[first];
    first = first + 1 & numbers.length - 1;
    size--;
    return number;
  }

  void add(int number) {
    reserve();
    numbers[first + size++ & numbers.length - 1] = number;
  }

  void addFirst(int number) {
    reserve();
    first = first - 1 & numbers.length - 1;
    numbers[first] = number;
    size++;
  }

  private void reserve() {
    if (size == numbers.length) {
      int[] more = new int[numbers.length * 2];
      for (int i = 0; i < size; i++) {
        more[i] = numbers[first + i & numbers.length - 1];
      }
      numbers = more;
      first = 0;
    }
  }
}
